import { z } from 'zod'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { NotRegularFile, readOwnFile } from '../files/regular-file.ts'
import { parseLimitedYaml } from '../markdown/limited-yaml.ts'
import type { Vault } from '../vaults/vault.ts'

const Setting = z.object({ displayName: z.string().min(1).max(200).optional(), order: z.number().optional() })
const FoldersFile = z.object({ folders: z.record(z.string(), z.unknown()) })

/** How a folder is shown. */
export type FolderSetting = z.infer<typeof Setting>

/**
 * Reads `.svc/folders.yml`: the display name and the order of folders, by path. The file belongs to people and is never
 * written here. One that cannot be parsed, and a setting of another shape, count as none.
 */
export async function folderSettings(vault: Vault): Promise<ReadonlyMap<string, FolderSetting>> {
  const text = await readOwnFile(vault.layout.foldersFile).catch((error: unknown) => {
    if (error instanceof NotRegularFile || isFailure(error)) return undefined
    throw error
  })
  const parsed = text === undefined ? undefined : parseLimitedYaml(text)
  const file = FoldersFile.safeParse(parsed?.kind === 'parsed' ? parsed.value : undefined)
  const settings = new Map<string, FolderSetting>()
  for (const [path, value] of Object.entries(file.data?.folders ?? {})) {
    const setting = Setting.safeParse(value)
    if (setting.success) settings.set(path, setting.data)
  }
  return settings
}
