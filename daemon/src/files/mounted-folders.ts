import { lstat, mkdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { writeJsonFile } from './durable-file.ts'
import { errnoOf } from './fs-failure.ts'
import { readOwnFile } from './regular-file.ts'

/**
 * The folders of a vault on which a separate disk is mounted. They are remembered over restarts: while its disk is
 * away, such a folder looks as if all its files had been deleted.
 */
export type MountedFolders = {
  all(): readonly string[]
  add(folder: string): void
  remove(folder: string): void
  /** The remembered folder at or above a path whose disk is away. */
  awayAt(path: string): Promise<string | undefined>
  /** Fails with `disk_away` when the disk at or above a path is away. */
  refuseAway(path: string): Promise<void>
  /** Like `refuseAway`, and also for disks below the path: moving a folder would leave their files behind. */
  refuseAwayBelow(path: string): Promise<void>
}

type Options = { root: string; file: string; log: Log }

const Stored = z.object({ format: z.literal(1), folders: z.array(z.string().min(1)) })

/** A root in which nothing is mounted. */
export const nothingMounted: MountedFolders = mountedFolders('', new Set(), () => {})

/** Opens the list of mounted folders of a vault, which is stored in a file of the daemon's own. */
export async function openMountedFolders({ root, file, log }: Options): Promise<MountedFolders> {
  const folders = new Set(
    await readMountedFolders(file).catch((error: unknown) => {
      log.warn({ err: error }, 'the list of mounted folders of a vault cannot be read; it is rebuilt')
      return []
    }),
  )
  let storing = Promise.resolve()
  return mountedFolders(root, folders, () => {
    storing = storing
      .then(() => store(file, folders))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'the list of mounted folders of a vault cannot be stored; a restart loses it')
      })
  })
}

/** The folders listed in a file; empty if the file does not exist. */
export async function readMountedFolders(file: string): Promise<string[]> {
  const text = await readOwnFile(file)
  return text === undefined ? [] : Stored.parse(JSON.parse(text)).folders
}

/** True if a folder exists and nothing is mounted on it: it is on the disk of its parent. */
export async function isUnmounted(root: string, folder: string): Promise<boolean> {
  const full = join(root, folder)
  try {
    const [own, above] = [await lstat(full), await lstat(dirname(full))]
    return own.dev === above.dev
  } catch (error) {
    // If somebody removed the folder as well, its files count as deleted.
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return false
    throw error
  }
}

function mountedFolders(root: string, folders: Set<string>, changed: () => void): MountedFolders {
  const firstAway = async (candidates: readonly string[]): Promise<string | undefined> => {
    for (const folder of candidates) if (await isUnmounted(root, folder)) return folder
    return undefined
  }
  const at = (path: string) => Array.from(folders).filter((folder) => isWithin(path, folder))
  const below = (path: string) => Array.from(folders).filter((folder) => isWithin(folder, path))
  const refuse = (folder: string | undefined) => {
    if (folder !== undefined) throw fail('disk_away', { folder })
  }

  return {
    all: () => Array.from(folders),
    add(folder) {
      if (folders.has(folder)) return
      folders.add(folder)
      changed()
    },
    remove(folder) {
      if (folders.delete(folder)) changed()
    },
    awayAt: (path) => firstAway(at(path)),
    refuseAway: async (path) => refuse(await firstAway(at(path))),
    refuseAwayBelow: async (path) => refuse(await firstAway([...at(path), ...below(path)])),
  }
}

/** The root, the empty path, contains every path. */
const isWithin = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`)

async function store(file: string, folders: ReadonlySet<string>): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeJsonFile(dirname(file), basename(file), { format: 1, folders: Array.from(folders).toSorted() })
}
