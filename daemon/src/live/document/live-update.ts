import type { ChangeSet } from '@codemirror/state'
import type { LiveChanges, LiveWho } from '@svc/shared/wire/daemon/live-messages.ts'
import type { ClientChange } from '../../edits/rebase-over.ts'
import type { Actor } from '../../entry/actor.ts'

/** One change of the text, in the order that all agree on. `who` is set if no participant made it, otherwise `by`. */
export type LiveUpdate = {
  clientID: string
  changes: ChangeSet
  who?: LiveWho | undefined
  by?: Actor | undefined
}

/** The change of an update, for rebasing. */
export const changeOf = ({ clientID, changes }: LiveUpdate): ClientChange => ({ client: clientID, changes })

/** Updates that a client made on top of a version. */
export type Push = { version: number; clientID: string; updates: readonly LiveChanges[]; by?: Actor }

/**
 * Updates from a participant; `seq` is the number of the first of them. A push that had to wait is not applied when its
 * connection has ended meanwhile: its client may have been told already which of its updates are in the text.
 */
export type ClientPush = Push & { seq: number; by: Actor; hasEnded?(): boolean }
