import { z } from 'zod'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { toFileFailure } from '../files/fs-failure.ts'
import { FileTooLarge, NotRegularFile, readOwnFile } from '../files/regular-file.ts'
import { costOfYaml } from '../markdown/note-cost.ts'
import { ParsingStopped } from '../note-jobs/parsing-pool.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import type { Vault } from '../vaults/vault.ts'

const Setting = z.object({ displayName: z.string().min(1).max(200).optional(), order: z.number().optional() })
const FoldersFile = z.object({ folders: z.record(z.string(), z.unknown()) })

/** How a folder is shown. */
export type FolderSetting = z.infer<typeof Setting>

/**
 * Reads `.svc/folders.yml`: the display name and the order of folders, by path. People edit the file; it is never
 * written here. A file that is too large or malformed, and a setting of another shape, count as none.
 */
export async function folderSettings(
  vault: Vault,
  runNoteJob: RunNoteJob,
): Promise<ReadonlyMap<string, FolderSetting>> {
  const text = await readOwnFile(vault.layout.foldersFile).catch((error: unknown) => {
    if (error instanceof NotRegularFile || error instanceof FileTooLarge || isFailure(error)) return undefined
    throw toFileFailure(error)
  })
  const value = text === undefined ? undefined : await parsedYaml(text, runNoteJob)
  const file = FoldersFile.safeParse(value)
  const settings = new Map<string, FolderSetting>()
  for (const [path, value] of Object.entries(file.data?.folders ?? {})) {
    const setting = Setting.safeParse(value)
    if (setting.success) settings.set(path, setting.data)
  }
  return settings
}

async function parsedYaml(text: string, runNoteJob: RunNoteJob): Promise<unknown> {
  try {
    return await runNoteJob({ job: 'yaml', input: { text }, cost: costOfYaml(text) })
  } catch (error) {
    if (error instanceof ParsingStopped) return undefined
    throw error
  }
}
