import type { Actor } from '../entry/actor.ts'
import type { Audience } from './audience.ts'
import type { DocumentMark } from './document/document-states.ts'
import type { NoteDocument } from './note-document.ts'
import type { NoteFiles } from './note-file.ts'
import type { SessionLog } from './log/session-log.ts'
import type { FileForm } from './text-size.ts'

/** A version of the text and the baseline that the file has with it. */
export type SaveMark = { version: number; baseline: string }

/** What the parts of one live session share. */
export type SessionState = {
  readonly document: NoteDocument
  readonly files: NoteFiles
  readonly log: SessionLog
  readonly audience: Audience
  path: string
  /** The baseline of the file that the text builds on. */
  baseline: string
  form: FileForm
  /** Who changed the text last. */
  by: Actor
  /** `going`: the file is gone, and the text that is in no file is on its way to the trash. */
  phase: 'open' | 'going' | 'gone'
  /** The version that participants may see: all of it is in the log or in the file. */
  durable: DocumentMark & { baseline: string }
}

/** What a live session begins with. */
export type Beginning = Pick<SessionState, 'path' | 'document' | 'baseline' | 'form' | 'by'> & {
  epoch: string
  /** A save of which nobody knows whether it has reached the file. */
  doubtful?: SaveMark
}
