import { readNote } from '@svc/shared/wire/mcp/note-tools.ts'
import { parseVaultPath } from '../../files/vault-path.ts'
import type { RunNoteJob } from '../../note-jobs/run-note-job.ts'
import type { ReadNote } from '../../notes/read-note.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { makeTool } from '../tool.ts'

type Deps = { registry: VaultRegistry; readNote: ReadNote; runNoteJob: RunNoteJob }

/** Reads a note, or the requested part of it. */
export const readNoteTool = ({ registry, readNote: read, runNoteJob }: Deps) =>
  makeTool(readNote, async ({ vaultId, path, section, lines, maxChars }) => {
    const note = await read(registry.find(vaultId), parseVaultPath(path))
    const { title, baseline, properties, problem, outline, content: text } = note
    const part = await runNoteJob({ job: 'select', input: { text, section, lines, maxChars }, cost: text.length })
    return { path: note.path, title, baseline, properties, ...(problem && { problem }), outline, ...part }
  })
