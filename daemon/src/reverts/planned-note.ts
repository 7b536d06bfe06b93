import type { z } from 'zod'
import type { RevertedNote } from '@svc/shared/wire/daemon/daemon-reverts.api.ts'
import type { UndoneChanges } from '../audit/undone-changes.ts'
import type { MovedThing } from '../history/commit-message.ts'

/** The name of a revert in the audit. */
export const REVERT = 'revert'

/** One note, attachment or folder of a revert: its part of the response, and what the revert needs. */
export type PlannedNote = Omit<z.infer<typeof RevertedNote>, 'baseline'> & {
  kind: 'note' | MovedThing['kind']
  text: string
  baseline: string | undefined
  /** The baseline of the note after the revert, once that is made. */
  after?: string | undefined
  /** What identifies an attachment or folder. */
  is?: MovedThing['is']
  /** The deletion by which something that comes back is in the trash. A note may have left the trash since. */
  deletion?: string | undefined
  /** True for a folder that is removed at its present path, because nothing stays in it. */
  isEmptied?: boolean
  /** The object ids of its past contents, the newest first. */
  revisions: string[]
  /** Every path that it had. */
  paths: string[]
  /** The changes of agents that are reverted. */
  undone: UndoneChanges[]
}

/** The path of something after the revert; undefined if it does not exist then. */
export const pathAfter = ({ action, path, to }: Pick<PlannedNote, 'action' | 'path' | 'to'>): string | undefined =>
  action === 'trash' ? undefined : (to ?? path)
