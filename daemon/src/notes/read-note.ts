import type { z } from 'zod'
import { createInTurns } from '@svc/shared/kit/in-turns.ts'
import type { Note } from '@svc/shared/wire/daemon/daemon.api.ts'
import { fileTimeText } from '../files/file-date.ts'
import { ParsingStopped } from '../note-jobs/parsing-pool.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import type { VaultPath } from '../files/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'
import { costOfNote } from '../markdown/note-cost.ts'
import { unparsedParts } from '../markdown/parse-note.ts'
import type { RecentVersions } from './recent-versions.ts'
import { currentNote, LARGE_NOTE_BYTES, type StoredNote } from './stored-note.ts'

// A large note takes several times its size until it is parsed, and parsers wait for one another.
const LARGE_AT_ONCE = 4

/** A note as REST and MCP return it. */
export type NoteView = z.infer<typeof Note>['note']

/** Reads a note as it is now, including live text that is not saved yet. Writes nothing. */
export type ReadNote = (vault: Vault, path: VaultPath) => Promise<NoteView>

/** Reads notes in two steps: a request may be answered without parsing the note. */
export type NoteReader = {
  /** Does something with a note that has not been parsed. Only a few large notes are read at the same time. */
  use<T>(vault: Vault, path: VaultPath, work: (note: StoredNote) => T | Promise<T>): Promise<T>
  /** The note with what parsing it finds. */
  view(note: StoredNote): Promise<NoteView>
}

type Deps = { versions: RecentVersions; maxNoteBytes: number; runNoteJob: RunNoteJob }

export function createNoteReader({ versions, maxNoteBytes, runNoteJob }: Deps): NoteReader {
  const inTurn = createInTurns(LARGE_AT_ONCE)
  return {
    use(vault, path, work) {
      const read = async () => {
        const note = await currentNote({ vault, path, maxNoteBytes })
        versions.remember({ vault, path: note.path, baseline: note.baseline }, note.text)
        return work(note)
      }
      const known = vault.manifest.file(vault.manifest.onDisk(path))
      return known !== undefined && known.stamp.size > LARGE_NOTE_BYTES ? inTurn(read) : read()
    },
    async view({ path, text, baseline, bytes, stamp }) {
      const job = { job: 'parts', input: { path, text }, cost: costOfNote(text) } as const
      const parts = await runNoteJob(job).catch((error: unknown) => {
        if (error instanceof ParsingStopped) return unparsedParts(path)
        throw error
      })
      const modifiedAt = fileTimeText(stamp.mtimeMs)
      return { path, content: text, baseline, ...parts, size: bytes.length, modifiedAt }
    },
  }
}

export const createReadNote =
  ({ use, view }: NoteReader): ReadNote =>
  (vault, path) =>
    use(vault, path, view)
