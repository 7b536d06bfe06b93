import type { z } from 'zod'
import type { Note } from '@svc/shared/wire/daemon/daemon.api.ts'
import { ParsingStopped } from '../note-jobs/parsing-pool.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import type { VaultPath } from '../files/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'
import { costOfNote } from '../markdown/note-cost.ts'
import { unparsedParts } from '../markdown/parse-note.ts'
import type { RecentVersions } from './recent-versions.ts'
import { currentNote } from './stored-note.ts'

/** A note as REST and MCP return it. */
export type NoteView = z.infer<typeof Note>['note']

/** Reads a note as it is now, including live text that is not saved yet. Writes nothing. */
export type ReadNote = (vault: Vault, path: VaultPath) => Promise<NoteView>

type Deps = { versions: RecentVersions; maxNoteBytes: number; runNoteJob: RunNoteJob }

export function createReadNote({ versions, maxNoteBytes, runNoteJob }: Deps): ReadNote {
  return async (vault, path) => {
    const { text, baseline, bytes, stamp, ...note } = await currentNote({ vault, path, maxNoteBytes })
    versions.remember({ vault, path: note.path, baseline }, text)
    const input = { path: note.path, text }
    const parts = await runNoteJob({ job: 'parts', input, cost: costOfNote(text) }).catch((error: unknown) => {
      if (error instanceof ParsingStopped) return unparsedParts(note.path)
      throw error
    })
    const modifiedAt = new Date(stamp.mtimeMs).toISOString()
    return { path: note.path, content: text, baseline, ...parts, size: bytes.length, modifiedAt }
  }
}
