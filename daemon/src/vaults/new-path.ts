import { isFailure } from '@svc/shared/wire/errors.ts'
import { inFolder, openFolder } from '../files/open-folder.ts'
import { parseNewPath, splitPath, type VaultPath } from '../files/vault-path.ts'
import type { Vault } from './vault.ts'

type Files = Pick<Vault, 'files'>

/**
 * The path of a new file, with its name in normal form C. Folders keep their names as another program wrote them,
 * whichever form the caller uses. Throws `invalid_request` if the path is not allowed for a new file.
 */
export async function newFilePath(vault: Files, asked: string): Promise<VaultPath> {
  const { name } = splitPath(parseNewPath(asked))
  return [...(await foldersOnDisk(vault, splitPath(asked).folders)), name].join('/') as VaultPath
}

/** The path of a folder, which may exist already. Throws as `newFilePath` does. */
export async function newFolderPath(vault: Files, asked: string): Promise<VaultPath> {
  parseNewPath(asked)
  return (await foldersOnDisk(vault, asked.split('/'))).join('/') as VaultPath
}

async function foldersOnDisk(vault: Files, asked: readonly string[]): Promise<string[]> {
  const path: string[] = []
  for (const name of asked) {
    const composed = name.normalize('NFC')
    const others = [name, name.normalize('NFD')].filter((other) => other !== composed)
    const found = others.length > 0 ? await firstFolder(vault, path, [composed, ...others]) : undefined
    path.push(found ?? composed)
  }
  return path
}

async function firstFolder(vault: Files, parent: string[], names: string[]): Promise<string | undefined> {
  for (const name of names) if (await isFolder(vault, [...parent, name])) return name
  return undefined
}

const isFolder = ({ files }: Files, path: string[]): Promise<boolean> =>
  inFolder(openFolder(files, path), async () => true).catch((error: unknown) => {
    if (isFailure(error, 'not_found') || isFailure(error, 'invalid_request')) return false
    throw error
  })
