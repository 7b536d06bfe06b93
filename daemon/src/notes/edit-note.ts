import type { Edit } from '@svc/shared/wire/daemon/note-edit.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Actor } from '../entry/actor.ts'
import type { NoteHistory } from '../history/note-history.ts'
import type { FindPastVersion } from '../history/past-version.ts'
import { ParsingStopped } from '../note-jobs/parsing-pool.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import type { VaultPath } from '../files/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'
import { baselineOf } from '../files/baseline.ts'
import type { EditDecision } from '../edits/decide-edit.ts'
import { refuseLargeProperties } from '../edits/property-edit.ts'
import { costOfEdits } from '../markdown/note-cost.ts'
import { decodeNote } from './decode-note.ts'
import type { RecentVersions } from './recent-versions.ts'
import { currentNote, type StoredNote } from './stored-note.ts'
import type { WriteNote } from './write-note.ts'

type Editing = {
  vault: Vault
  path: VaultPath
  baseline: string
  edits: readonly Edit[]
  onStale: 'reject' | 'rebase'
  dryRun: boolean
  by: Actor
  tool: string
}

type Edited = { path: string; baseline: string; diff: string; matched: string[]; dryRun: boolean }

/** Changes passages of a note, for REST and MCP alike: all edits apply to the text of the baseline, or none does. */
export type EditNote = (editing: Editing) => Promise<Edited>

type Deps = {
  writeNote: WriteNote
  versions: RecentVersions
  historyOf: (vault: Vault) => NoteHistory
  findPastVersion: FindPastVersion
  maxNoteBytes: number
  runNoteJob: RunNoteJob
}

export function createEditNote({
  writeNote,
  versions,
  historyOf,
  findPastVersion,
  maxNoteBytes,
  runNoteJob,
}: Deps): EditNote {
  /** Puts the text of an old baseline into memory, from the history if needed. Runs before the note is locked. */
  async function recall({ vault, path, baseline }: Editing): Promise<void> {
    const onDisk = vault.manifest.onDisk(path)
    const version = { vault, path: onDisk, baseline }
    if (versions.find(version) !== undefined) return
    const current = await currentNote({ vault, path, maxNoteBytes })
    if (current.baseline === baseline) return
    const bytes = await findPastVersion(historyOf(vault), version)
    const text = bytes && decodeNote(bytes)
    if (text !== undefined) versions.remember(version, text)
  }

  function decide({ vault, baseline, edits, onStale }: Editing, current: StoredNote): Promise<EditDecision> {
    const base = baseline === current.baseline ? undefined : versions.find({ vault, path: current.path, baseline })
    const input = { current: { text: current.text, baseline: current.baseline }, baseline, base, edits, onStale }
    return runNoteJob({ job: 'edit', input, cost: costOfEdits([current.text, base], edits) }).catch(
      (error: unknown) => {
        if (!(error instanceof ParsingStopped)) throw error
        throw fail('invalid_request', [{ path: 'edits', message: 'take too long here: replace the note as a whole' }])
      },
    )
  }

  return async (editing) => {
    const { vault, path, dryRun, by, tool } = editing
    refuseLargeProperties(editing.edits)
    await recall(editing)
    if (dryRun) {
      const current = await currentNote({ vault, path, maxNoteBytes })
      const { text, ...told } = await decide(editing, current)
      return { path: current.path, baseline: baselineOf(Buffer.from(text)), ...told, dryRun }
    }

    let told = { diff: '', matched: [] as string[] }
    const written = await writeNote({
      vault,
      path,
      by,
      tool,
      async next(current) {
        if (!current) throw fail('not_found')
        const { text, ...rest } = await decide(editing, current)
        told = rest
        return text
      },
    })
    return { path: written.path, baseline: written.baseline, ...told, dryRun }
  }
}
