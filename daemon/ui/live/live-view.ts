import type { ChangeSet } from '@codemirror/state'
import type { LivePerson, LiveWho } from '@svc/shared/wire/daemon/live-messages.ts'
import type { Clash } from './live-text.ts'
import type { SaveState } from './save-state.ts'

/** The position of another person in the text, and the time of their last message. */
export type RemoteCursor = { anchor: number; head: number; at: number }

/** The people in a note and where they are. A new object means an update from the daemon. */
export type Presence = { people: readonly LivePerson[]; cursors: ReadonlyMap<string, RemoteCursor> }

/** The state of a live note for the screen, without its text. */
export type LiveView = {
  save: SaveState
  path: string
  you: string | undefined
  presence: Presence
  /** Our version that conflicts with a rewrite by somebody else. Typing is blocked until the conflict is resolved. */
  clash: Clash | undefined
  /** False once this browser could not keep what is unsent. */
  canKeep: boolean
}

/**
 * A change of the text that the editor did not make. `own`: made on this page in another way, for example by ticking a
 * task or in another editor.
 */
export type TextChanged = { changes: ChangeSet } & (
  { origin: 'own' } | { origin: 'remote'; who: LiveWho | undefined; client: string | undefined }
)

/**
 * Moves cursors along with a change of the text. The cursor of the person who typed goes behind the new text; other
 * cursors at the same place stay before it.
 */
export function moveCursors({ people, cursors }: Presence, changes: ChangeSet, client: string | undefined): void {
  if (cursors.size === 0 || changes.empty) return
  const writer = people.find((person) => person.client === client)?.id
  for (const [id, cursor] of cursors) {
    const side = id === writer ? 1 : -1
    cursor.anchor = changes.mapPos(Math.min(cursor.anchor, changes.length), side)
    cursor.head = changes.mapPos(Math.min(cursor.head, changes.length), side)
  }
}

/** The presence without those who have left. */
export function presenceOf(people: readonly LivePerson[], cursors: Presence['cursors']): Presence {
  return { people, cursors: new Map([...cursors].filter(([id]) => people.some((person) => person.id === id))) }
}

export const NOBODY: Presence = { people: [], cursors: new Map() }
