import type { ChangeSet, Text } from '@codemirror/state'
import type { LineWriters } from '../line-writers.ts'

/** A state to which a document can be rolled back. */
export type DocumentMark = { version: number; text: Text; agreed: Text; writers: LineWriters }

/**
 * The text, the one that the file has if it differs, and the whole file if it is at hand. `saving` is a text that the
 * file may have instead, because nobody knows whether a save has reached it.
 */
export type Beginning = {
  text: string | Text
  agreed?: string | Text
  saving?: Text
  file?: string
  writers?: LineWriters | undefined
}

/** A text that is being written to the file; `later` are the authors of what was written since. */
export type Saving = { version: number; text: Text; since: ChangeSet; writers: LineWriters; later: LineWriters }
