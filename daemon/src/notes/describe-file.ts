import type { FileContent } from '../vaults/vault-change.ts'
import { readNoteFacts } from './note-facts.ts'
import { noteTextOf } from './note-text.ts'

/** What a file holds; a file without bytes has not been read, since it cannot be a note. */
export type DescribeFile = (path: string, bytes: Buffer | undefined) => FileContent

/** Tells notes from attachments, and reads the facts of a note. */
export const describeFile: DescribeFile = (path, bytes) => {
  const text = bytes === undefined ? undefined : noteTextOf(path, bytes)
  if (bytes === undefined || text === undefined) return { facts: { kind: 'attachment' } }
  const { tags, properties, ...facts } = readNoteFacts(path, bytes, text)
  return { facts, tags, properties, bytes, text }
}
