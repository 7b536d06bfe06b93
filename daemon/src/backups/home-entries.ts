import type { Dirent, Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoOf } from '../files/fs-failure.ts'
import { slices } from '../watch/slices.ts'
import { isBackedUp, isRestorable } from './backed-up-path.ts'

/** A file or folder of a home that belongs in a backup, or an entry that cannot be backed up. */
export type HomeEntry =
  { kind: 'file'; path: string; stat: Stats } | { kind: 'folder'; path: string } | { kind: 'skipped'; path: string }

/**
 * The order of folders in a home that changes while it is read: each is copied before those that it may lag behind.
 * Live logs are replayed over older notes, and history and audit refer to what notes already contain. In a repository,
 * refs are read before the objects that they point to.
 */
const FIRST = ['daemon/live', 'vaults', 'daemon']
const LAST_NAME = 'objects'

// Longer paths may not fit below another home. The daemon makes none, but other programs can.
const LONGEST_BYTES = 3000

/** The entries of a home that belong in a backup, folder by folder in a fixed order. Skips what vanishes meanwhile. */
export async function* homeEntries(home: string): AsyncGenerator<HomeEntry> {
  for (const root of FIRST) yield* entriesOf(home, root)
}

async function* entriesOf(home: string, folder: string): AsyncGenerator<HomeEntry> {
  const children = await childrenOf(join(home, folder))
  if (children === undefined) return
  if (children === 'too_long') return yield { kind: 'skipped', path: folder }
  yield { kind: 'folder', path: folder }
  const pause = slices()
  for (const child of children) {
    const path = `${folder}/${child.name}`
    if (!isBackedUp(path) || FIRST.includes(path)) continue
    const isLeftOut = child.name.includes('\uFFFD') || Buffer.byteLength(path) > LONGEST_BYTES || !isRestorable(path)
    if (child.isDirectory() && !isLeftOut) yield* entriesOf(home, path)
    else {
      const stat = isLeftOut || !child.isFile() ? undefined : await statOf(join(home, path))
      if (stat) yield { kind: 'file', path, stat }
      else if (stat === undefined) yield { kind: 'skipped', path }
    }
    await pause()
  }
}

/** Null if the entry has gone; undefined if its path is too long for the system. */
async function statOf(path: string): Promise<Stats | null | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null
    if (errnoOf(error) === 'ENAMETOOLONG') return undefined
    throw error
  }
}

async function childrenOf(path: string): Promise<Dirent[] | 'too_long' | undefined> {
  try {
    const children = await readdir(path, { withFileTypes: true })
    return children.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    if (errnoOf(error) === 'ENAMETOOLONG') return 'too_long'
    throw error
  }
}

const rank = ({ name }: Dirent): number => (name === LAST_NAME ? 1 : 0)
