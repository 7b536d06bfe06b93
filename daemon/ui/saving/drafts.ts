import type { NoteRef } from '../api/daemon-client.ts'
import type { Stored } from './saving.ts'

/** Text that is in no file yet, with the file's text it was typed over. */
export type Draft = { text: string; base: Stored; keptAt: string }

export type Drafts = ReturnType<typeof storedDrafts>

type Deps = { storage: Storage; now: () => Date; owner: string }

/**
 * Unsent text, kept in the browser for one person. The storage is a synchronous one on purpose: what a page writes
 * while it is being closed is still kept.
 */
export function storedDrafts({ storage, now, owner }: Deps) {
  const keyOf = ({ vaultId, path }: NoteRef) => `svc.draft:${JSON.stringify([owner, vaultId, path])}`

  return {
    /** Answers whether the text could be kept: a browser may have no room or forbid storage. */
    keep: (ref: NoteRef, { text, base }: Omit<Draft, 'keptAt'>): boolean => {
      try {
        storage.setItem(keyOf(ref), JSON.stringify({ text, base, keptAt: now().toISOString() } satisfies Draft))
        return true
      } catch {
        return false
      }
    },
    find: (ref: NoteRef): Draft | undefined => {
      try {
        const kept = storage.getItem(keyOf(ref))
        return kept === null ? undefined : asDraft(JSON.parse(kept))
      } catch {
        return undefined
      }
    },
    drop: (ref: NoteRef) => {
      try {
        storage.removeItem(keyOf(ref))
      } catch {
        // Storage that may not be written held nothing either.
      }
    },
  }
}

function asDraft(value: unknown): Draft | undefined {
  const draft = value as Partial<Draft> | null
  const whole =
    typeof draft?.text === 'string' &&
    typeof draft.keptAt === 'string' &&
    typeof draft.base?.content === 'string' &&
    typeof draft.base.baseline === 'string'
  return whole ? (draft as Draft) : undefined
}
