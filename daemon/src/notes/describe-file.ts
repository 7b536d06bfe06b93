import { ParsingStopped } from '../note-jobs/parsing-pool.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import { nextTurn, noteTextOf } from './decode-note.ts'
import type { FileContent } from '../vaults/vault-change.ts'
import { costOfNote } from '../markdown/note-cost.ts'
import { unparsedFacts } from '../markdown/unparsed-note.ts'

/** Describes the content of a file. A file without bytes was not read, because it cannot be a note. */
export type DescribeFile = (path: string, bytes: Buffer | undefined) => Promise<FileContent>

/** Distinguishes notes from attachments, and reads the facts of a note. */
export function createDescribeFile({ runNoteJob }: { runNoteJob: RunNoteJob }): DescribeFile {
  return async (path, bytes) => {
    const text = bytes === undefined ? undefined : noteTextOf(path, bytes)
    if (bytes === undefined || text === undefined) return { facts: { kind: 'attachment' } }

    await nextTurn(text.length)
    const input = { path, bytes, text }
    const { tags, properties, ...facts } = await runNoteJob({ job: 'facts', input, cost: costOfNote(text) }).catch(
      (error: unknown) => {
        if (error instanceof ParsingStopped) return unparsedFacts(path, bytes)
        throw error
      },
    )
    return { facts, tags, properties, bytes, text }
  }
}
