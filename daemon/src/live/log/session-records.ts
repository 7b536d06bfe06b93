import type { Text } from '@codemirror/state'
import { stringOf } from '../../edits/whole-text.ts'
import type { Actor } from '../../entry/actor.ts'
import type { LogRecord, MakeRecord } from './log-record.ts'
import { isTooLargeToSend } from '../document/changes-size.ts'
import type { LiveUpdate } from '../document/live-update.ts'
import type { DocumentMark } from '../document/document-states.ts'
import type { NoteDocument } from '../note-document.ts'

/** What the records of a live session contain besides its text. */
export type SessionFacts = { epoch: string; path: string; baseline: string; by: Actor; agreed: Text }

type Sender = { client: string; seq?: number; by: Actor }

/** The record that the other records of a session build on: its text at a version. Pure. */
export function sessionRecord(
  { epoch, path, baseline, by, agreed }: SessionFacts,
  { version, text: now, writers }: Pick<DocumentMark, 'version' | 'text' | 'writers'>,
): LogRecord {
  const text = stringOf(now)
  const agreedText = stringOf(agreed)
  const file = { baseline, ...(agreedText === text ? {} : { text: agreedText }) }
  return { kind: 'session', epoch, path, version, text, file, by, writers: [...writers] }
}

/** The record of new updates; undefined if they are so large that the log is rewritten with the text after them. */
export const recordOfUpdates = (...[made, sender]: Parameters<typeof updatesRecord>): LogRecord | undefined =>
  made.updates.some(({ changes }) => isTooLargeToSend(changes)) ? undefined : updatesRecord(made, sender)

/** The record of updates on top of a version. Pure. */
export function updatesRecord(
  { epoch, version, updates }: { epoch: string; version: number; updates: readonly LiveUpdate[] },
  { client, seq, by }: Sender,
): LogRecord {
  const changes = updates.map((update) => update.changes.toJSON())
  const who = updates[0]?.who
  return { kind: 'updates', epoch, version, client, seq, by, changes, ...(who ? { who } : {}) }
}

/** A whole session as records: its text, or the text that is being saved with the updates since. */
export function snapshotRecords(
  facts: SessionFacts,
  document: NoteDocument,
  fileSave: { version: number; baseline: string } | undefined,
): MakeRecord[] {
  const { epoch } = facts
  const { saving } = document
  const begun = saving ?? { ...document.mark(), text: document.joined() }
  const begins = () => sessionRecord(facts, begun)
  if (!saving) return [begins]
  const later = document.since(saving.version)!.map((update, index): MakeRecord => {
    const sender = { client: update.clientID, by: update.by ?? facts.by }
    return () => updatesRecord({ epoch, version: saving.version + index, updates: [update] }, sender)
  })
  const saves: MakeRecord[] = fileSave ? [() => ({ kind: 'saving', epoch, ...fileSave })] : []
  return [begins, ...saves, ...later]
}
