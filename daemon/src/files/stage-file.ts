import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { FileRoot } from './file-root.ts'
import { differs, giveAccess, giveAccessTo, type FileAccess } from './disk/file-access.ts'
import { ignoreMissing, withFileFailures } from './fs-failure.ts'
import { holdFile } from './hold-file.ts'
import { stampOf, type FileStamp } from './file-stamp.ts'
import { statOfOpen } from './regular-file.ts'
import { inFolder, openFolder, openOrMakeFolder, type OpenFolder } from './open-folder.ts'
import { splitPath } from './vault-path.ts'

/** A complete file that waits in `.svc/tmp`. Always call `discard`, even after placing it. */
export type StagedFile = {
  path: string
  stamp: FileStamp
  /** Gives the file an owner and permissions, as far as the daemon may. */
  give(access: Partial<FileAccess>): Promise<void>
  /**
   * Resolves when the file is on disk. The sync starts before the file is placed; whoever places the file waits for it
   * first.
   */
  durable: Promise<void>
  /** An unused name in the same folder. A file there is removed by `discard` too. */
  beside(): string
  /**
   * Removes what was not placed. Nothing depends on it, so it runs after the responses of this turn of the event loop.
   */
  discard(): Promise<void>
}

/** A name in the folder for temporary files, and the stamp of the file there. */
export type Staged = { name: string; stamp: FileStamp }

/** Files that are written one after the other and placed together. `discard` removes those that were not placed. */
export type StagedFiles = {
  add(file: { content: Buffer; access?: Partial<FileAccess> }): Promise<Staged>
  /** A file of the vault as it is, so that it can be placed elsewhere. */
  link(path: string): Promise<Staged>
  discard(): Promise<void>
}

/** Folder of a vault for temporary files; those of a killed process are removed at the next start. */
export const TMP = ['.svc', 'tmp'] as const

/** An unused name in the folder for temporary files. */
export const newName = (): string => randomBytes(12).toString('hex')

/** Writes a whole file to `.svc/tmp` and begins to sync it; leaves nothing behind when writing fails. */
export function stageFile(root: FileRoot, content: Buffer | AsyncIterable<Buffer>): Promise<StagedFile> {
  const { disk } = root
  return withFileFailures(async () => {
    const folder = await openOrMakeFolder(root, TMP)
    const path = folder.at(newName())
    let syncing = Promise.resolve()
    const paths = [path]
    const beside = () => {
      const other = folder.at(newName())
      paths.push(other)
      return other
    }
    const discard = async () => {
      await Promise.all([syncing.catch(() => {}), setImmediate()])
      // What cannot be removed now is removed at the next start; it must not make a stored file look failed.
      await Promise.all(paths.map((one) => disk.unlink(one).catch(() => {})))
      await folder.close()
    }
    try {
      const handle = await disk.open(path, 'wx', 0o644)
      try {
        await handle.writeFile(content)
      } catch (error) {
        await handle.close()
        throw error
      }
      syncing = handle.sync().finally(() => handle.close())
      // A file server may set the times of a file when it receives the content.
      if (!root.isLocal) await syncing
      const stat = root.isLocal ? statOfOpen(handle) : await disk.lstat(path)
      const durable = withFileFailures(() => syncing)
      // Prevents an unhandled rejection if nobody waits for it yet.
      durable.catch(() => {})
      let isGiven = false
      const give = async (access: Partial<FileAccess>) => {
        if (!isGiven && !differs(stat, access)) return
        isGiven = true
        await withFileFailures(() => giveAccessTo(disk, { path, ino: stat.ino }, access))
      }
      return { path, stamp: stampOf(stat), give, durable, beside, discard }
    } catch (error) {
      await discard()
      throw error
    }
  })
}

/** Opens a stage for many files. All of them share one open folder. */
export async function stageFiles(root: FileRoot): Promise<StagedFiles> {
  const folder = await openOrMakeFolder(root, TMP)
  const names: string[] = []
  return {
    add: ({ content, access = {} }) =>
      withFileFailures(async () => {
        const name = newName()
        names.push(name)
        await writeSynced(root, folder.at(name), { content, access })
        return { name, stamp: stampOf(await root.disk.lstat(folder.at(name))) }
      }),
    link: (path) =>
      withFileFailures(async () => {
        const name = newName()
        names.push(name)
        const { folders, name: file } = splitPath(path)
        await inFolder(openFolder(root, folders), (source) => holdFile(root, source.at(file), folder.at(name)))
        return { name, stamp: stampOf(await root.disk.lstat(folder.at(name))) }
      }),
    async discard() {
      for (const name of names) await removeQuietly(root, folder, name)
      await folder.close()
    },
  }
}

/** Removes a temporary file. If that fails, the next start removes it. */
export async function removeQuietly({ disk }: FileRoot, tmp: OpenFolder, name: string): Promise<void> {
  await disk.unlink(tmp.at(name)).catch(() => {})
}

type Written = { content: Buffer; access: Partial<FileAccess> }

async function writeSynced({ disk }: FileRoot, path: string, { content, access }: Written): Promise<void> {
  const handle = await disk.open(path, 'wx', 0o644)
  try {
    await giveAccess(handle, access)
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Removes incomplete files of a killed process; none of them was ever acknowledged. */
export async function clearStage(root: FileRoot): Promise<void> {
  await inFolder(openFolder(root, TMP), async (folder) => {
    for (const name of await root.disk.readdir(folder.at('.')))
      await root.disk.rm(folder.at(name), { recursive: true, force: true })
  }).catch(ignoreMissing)
}
