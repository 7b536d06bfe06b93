import type { Text } from '@codemirror/state'
import { noWriters } from '../line-writers.ts'
import { FILE_CLIENT } from '../participant.ts'
import { between } from './between.ts'
import type { DocumentMark, Saving } from './document-states.ts'
import type { LiveUpdate } from './live-update.ts'

/** A save that may have reached the file before a document begins. */
export function possibleSave(saved: Text, { version, text, writers }: DocumentMark): Saving {
  return { version, text: saved, since: between(saved, text), writers: noWriters(saved), later: writers }
}

/** What leads from the text of a save to the present one. */
export const updatesSince = ({ since }: Saving): LiveUpdate[] =>
  since.empty ? [] : [{ changes: since, clientID: FILE_CLIENT }]
