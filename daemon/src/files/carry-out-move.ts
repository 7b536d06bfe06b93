import { isFailure } from '@svc/shared/wire/errors.ts'
import type { FileRoot } from './file-root.ts'
import { errnoOf, withFileFailures } from './fs-failure.ts'
import { isSameFile } from './open-file.ts'
import { inFolder, openFolder, openOrMakeFolder, type OpenFolder } from './open-folder.ts'
import { exists, holdFile, moveToFree } from './place-file.ts'
import { clearMoveIntent, readMoveIntent, type MoveIntent, type Rewrite } from './move-intent.ts'
import { removeQuietly, TMP } from './stage-file.ts'
import { identityKey, splitPath } from './vault-path.ts'

type Carry = { root: FileRoot; intent: MoveIntent }

/**
 * Rewrites the files of a move and then moves. The rename at the end decides: before it the move is undone, after it
 * the move is made. Answers false when a file is not any more as it was planned, or `to` is taken; then `undoMove`.
 */
export function carryOutMove({ root, intent }: Carry): Promise<boolean> {
  return inTmp(root, async (tmp) => {
    for (const rewrite of intent.rewrites) {
      const isHeld = await at(root, rewrite.path, (path) => hold(root, path, tmp, rewrite))
      if (!isHeld) return false
    }
    // What is held must be there after a power loss that keeps a rename.
    if (intent.rewrites.length > 0) await tmp.sync()
    for (const rewrite of intent.rewrites) {
      const isReplaced = await at(root, rewrite.path, (path) => replace(root, path, tmp, rewrite))
      if (!isReplaced) return false
    }
    await syncFolders(root, intent)
    return moveIt(root, intent)
  })
}

/** Puts everything back that a move has changed. A file that somebody else has written since stays as it is. */
export function undoMove({ root, intent }: Carry): Promise<void> {
  return inTmp(root, async (tmp) => {
    if (await isMoved({ root, intent })) await moveBack(root, intent)
    for (const rewrite of intent.rewrites)
      await at(root, rewrite.path, async (path) => {
        const now = await statOf(root, path)
        if (now && isSameFile(now, rewrite.after) && (await exists(root.disk, tmp.at(rewrite.held))))
          await root.disk.rename(tmp.at(rewrite.held), path)
      }).catch(ignoreMissing)
    await syncFolders(root, intent)
  })
}

/** True when the moved file or folder lies at its new place. */
export async function isMoved({ root, intent }: Carry): Promise<boolean> {
  return (await inodeAt(root, intent.to, intent)) !== undefined
}

/** Ends a move that a crash has interrupted: nothing of it is left, or all of it is made. Answers whether there was one. */
export async function recoverMove(root: FileRoot): Promise<boolean> {
  const intent = await readMoveIntent(root).catch(ignoreMissing)
  if (!intent) return false
  if (await isMoved({ root, intent })) await leaveOnlyTarget(root, intent)
  else await undoMove({ root, intent })
  await releaseMove({ root, intent })
  return true
}

/** Forgets the intent of a move that is over, and what was held for undoing it. */
export async function releaseMove({ root, intent }: Carry): Promise<void> {
  await clearMoveIntent(root)
  await inTmp(root, async (tmp) => {
    for (const { held, staged } of intent.rewrites)
      for (const name of [held, staged]) await removeQuietly(root, tmp, name)
  })
}

const inTmp = <T>(root: FileRoot, use: (tmp: OpenFolder) => Promise<T>): Promise<T> =>
  withFileFailures(() => inFolder(openOrMakeFolder(root, TMP), use))

function at<T>(root: FileRoot, path: string, use: (path: string, folder: OpenFolder) => Promise<T>): Promise<T> {
  const { folders, name } = splitPath(path)
  return inFolder(openFolder(root, folders), (folder) => use(folder.at(name), folder))
}

async function hold(root: FileRoot, path: string, tmp: OpenFolder, { held, before }: Rewrite): Promise<boolean> {
  const now = await statOf(root, path)
  if (!now || !isSameFile(now, before)) return false
  await holdFile(root, path, tmp.at(held))
  return true
}

async function replace(root: FileRoot, path: string, tmp: OpenFolder, rewrite: Rewrite): Promise<boolean> {
  const now = await statOf(root, path)
  if (!now || !isSameFile(now, rewrite.before)) return false
  await root.disk.rename(tmp.at(rewrite.staged), path)
  // An editor that writes in place may have done so at the last moment; what it wrote is what is held.
  const held = await statOf(root, tmp.at(rewrite.held))
  return held !== undefined && (held.ino !== rewrite.before.ino || isSameFile(held, rewrite.before))
}

/** Moves without overwriting anything, and makes that durable. */
async function moveIt(root: FileRoot, intent: MoveIntent): Promise<boolean> {
  const [from, to] = [splitPath(intent.from), splitPath(intent.to)]
  return inFolder(openFolder(root, from.folders), (source) =>
    inFolder(openOrMakeFolder(root, to.folders), async (target) => {
      const [old, fresh] = [source.at(from.name), target.at(to.name)]
      const stat = await statOf(root, old)
      if (!stat || !inodesOf(intent).includes(stat.ino)) return false
      if (stat.isDirectory() || isOnlyRespelled(intent)) {
        if (!isOnlyRespelled(intent) && (await exists(root.disk, fresh))) return false
        await root.disk.rename(old, fresh)
      } else if (!(await moveToFree(root, old, fresh))) return false
      await target.sync()
      await source.sync()
      return true
    }),
  )
}

async function moveBack(root: FileRoot, intent: MoveIntent): Promise<void> {
  await at(root, intent.from, (from) => at(root, intent.to, (to) => root.disk.rename(to, from)))
  await at(root, intent.to, (_path, folder) => folder.sync())
}

/** A kill between the two steps of moving a file leaves both names. */
async function leaveOnlyTarget(root: FileRoot, intent: MoveIntent): Promise<void> {
  if ((await inodeAt(root, intent.from, intent).catch(ignoreMissing)) === undefined) return
  await at(root, intent.from, async (path, folder) => {
    await root.disk.rm(path)
    await folder.sync()
  })
}

async function syncFolders(root: FileRoot, { from, rewrites }: MoveIntent): Promise<void> {
  const paths = [from, ...rewrites.map(({ path }) => path)]
  const folders = new Map(paths.map((path) => [splitPath(path).folders.join('/'), splitPath(path).folders]))
  for (const segments of folders.values())
    await inFolder(openFolder(root, segments), (folder) => folder.sync()).catch(ignoreMissing)
}

/** The inode at a path, if it is the one of the moved file or folder under exactly this name. */
async function inodeAt(root: FileRoot, path: string, intent: MoveIntent): Promise<number | undefined> {
  return at(root, path, async (full, folder) => {
    const stat = await statOf(root, full)
    if (!stat || !inodesOf(intent).includes(stat.ino)) return undefined
    // A file system that folds case finds a file under either spelling; only the listing tells which one it has.
    const isThere = !isOnlyRespelled(intent) || (await root.disk.readdir(folder.at('.'))).includes(splitPath(path).name)
    return isThere ? stat.ino : undefined
  }).catch(ignoreMissing)
}

/** A note that is moved and rewritten has the inode of its new content from the rewriting on. */
const inodesOf = ({ moved, from, rewrites }: MoveIntent): number[] => [
  moved,
  ...rewrites.filter(({ path }) => path === from).map(({ after }) => after.ino),
]

const isOnlyRespelled = ({ from, to }: MoveIntent): boolean => identityKey(from) === identityKey(to)

async function statOf({ disk }: FileRoot, path: string) {
  try {
    return await disk.lstat(path)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!isFailure(error, 'not_found')) throw error
}
