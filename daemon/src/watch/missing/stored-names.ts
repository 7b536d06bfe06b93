import { lstat, readdir } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { errnoOf } from '../../files/fs-failure.ts'
import { identityKey, splitPath } from '../../files/vault-path.ts'
import { slices } from '../slices.ts'

/**
 * The names of a vault as its disk stores them. A lookup by path finds more: files behind a link that has replaced a
 * folder, and on some disks files under a name in another case or normal form.
 */
export type StoredNames = {
  /** True if something is stored at exactly this path. False if nothing is there, or a lookup finds what is elsewhere. */
  has(path: string): Promise<boolean>
}

/** What a lookup finds, and the names in a folder; both undefined when nothing is there. */
export type NamesOnDisk = {
  look(path: string): Promise<{ ino: number; isFolder: boolean } | undefined>
  names(folder: string): Promise<readonly string[] | undefined>
}

/**
 * Looks up paths that a listing did not show. Reads the names of each folder once, so it serves one comparison: a name
 * that has come since counts as stored.
 */
export function createStoredNames({ look, names }: NamesOnDisk): StoredNames {
  const read = new Map<string, ReturnType<typeof spellings>>()

  /** The names in a folder by what they have in common with their other spellings. */
  async function spellings(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
    const pause = slices()
    const alike = new Map<string, string[]>()
    for (const name of (await names(folder)) ?? []) {
      const key = identityKey(name)
      const spelt = alike.get(key)
      if (spelt) spelt.push(name)
      else alike.set(key, [name])
      await pause()
    }
    return alike
  }

  function spellingsOnce(folder: string): ReturnType<typeof spellings> {
    const reading = read.get(folder) ?? spellings(folder)
    read.set(folder, reading)
    return reading
  }

  async function isOtherSpelling(folder: string, name: string, ino: number): Promise<boolean> {
    const spelt = (await spellingsOnce(folder)).get(identityKey(name)) ?? []
    if (spelt.includes(name)) return false
    for (const other of spelt) if ((await look(joinPath(folder, other)))?.ino === ino) return true
    return false
  }

  return {
    async has(path) {
      const { folders, name } = splitPath(path)
      let folder = ''
      for (const segment of [...folders, name]) {
        const full = joinPath(folder, segment)
        const seen = await look(full)
        if (!seen || (full !== path && !seen.isFolder)) return false
        if (await isOtherSpelling(folder, segment, seen.ino)) return false
        folder = full
      }
      return true
    },
  }
}

/** The names on the disk of a vault. */
export const storedNamesIn = (root: string): StoredNames =>
  createStoredNames({
    look: (path) =>
      orNothing(async () => {
        const seen = await lstat(joinPath(root, path))
        return { ino: seen.ino, isFolder: seen.isDirectory() }
      }),
    names: (folder) => orNothing(() => readdir(joinPath(root, folder))),
  })

/** True when a folder above a path is a link: what a lookup finds there is not in the vault. */
export async function isBehindLink(root: string, path: string): Promise<boolean> {
  const { folders } = splitPath(path)
  for (const depth of folders.keys()) {
    const seen = await orNothing(() => lstat(joinPath(root, ...folders.slice(0, depth + 1))))
    if (seen?.isSymbolicLink() === true) return true
  }
  return false
}

async function orNothing<Found>(look: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await look()
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}
