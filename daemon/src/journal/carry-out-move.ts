import type { FileRoot } from '../files/file-root.ts'
import { ignoreMissing } from '../files/fs-failure.ts'
import { inFolder, openFolder, openOrMakeFolder } from '../files/open-folder.ts'
import { exists, isListed, moveToFree } from '../files/place-file.ts'
import { removeQuietly } from '../files/stage-file.ts'
import { identityKey, splitPath } from '../files/vault-path.ts'
import { at, hold, inTmp, putHeldBack, replace, statOf, syncFolders } from './held-files.ts'
import { moveIntent, type MoveIntent } from './move-intent.ts'

type Carry = { root: FileRoot; intent: MoveIntent }

/**
 * Rewrites the files of a move and then renames. The rename at the end decides: before it the move is undone, after it
 * the move counts as done. Returns false if a file is no longer as planned, or `to` is taken; then call `undoMove`.
 */
export function carryOutMove({ root, intent }: Carry): Promise<boolean> {
  return inTmp(root, async (tmp) => {
    for (const rewrite of intent.rewrites) {
      if (!(await hold({ root, tmp }, rewrite))) return false
    }
    // The kept originals must survive a power loss that keeps a rename.
    if (intent.rewrites.length > 0) await tmp.sync()
    for (const rewrite of intent.rewrites) {
      if (!(await replace({ root, tmp }, rewrite))) return false
    }
    await syncFolders(root, pathsOf(intent))
    return moveIt(root, intent)
  })
}

/** Restores everything that a move has changed. A file that somebody else has written since stays as it is. */
export function undoMove({ root, intent }: Carry): Promise<void> {
  return inTmp(root, async (tmp) => {
    if (await isMoved({ root, intent })) await moveBack(root, intent)
    for (const rewrite of intent.rewrites) await putHeldBack({ root, tmp }, rewrite)
    await syncFolders(root, pathsOf(intent))
  })
}

/** True when the moved file or folder is at its new path. */
export async function isMoved({ root, intent }: Carry): Promise<boolean> {
  return (await inodeAt(root, intent.to, intent)) !== undefined
}

/** Completes or undoes a move that a crash interrupted. Returns whether there was one. */
export async function recoverMove(root: FileRoot): Promise<boolean> {
  const intent = await moveIntent.read(root).catch(ignoreMissing)
  if (!intent) return false
  if (await isMoved({ root, intent })) await leaveOnlyTarget(root, intent)
  else await undoMove({ root, intent })
  await releaseMove({ root, intent })
  return true
}

/** Removes the originals kept for undoing a move that is finished, and its intent. */
export async function releaseMove({ root, intent }: Carry): Promise<void> {
  // The originals are removed first. If the intent stays, a later recovery may find the moved file replaced or deleted,
  // and takes the move for one that was not made. Without originals it undoes no link.
  await inTmp(root, async (tmp) => {
    for (const { held, staged } of intent.rewrites)
      for (const name of [held, staged]) await removeQuietly(root, tmp, name)
  }).catch(() => {})
  await moveIntent.clear(root)
}

/** Moves without overwriting anything, and makes that durable. */
async function moveIt(root: FileRoot, intent: MoveIntent): Promise<boolean> {
  const [from, to] = [splitPath(intent.from), splitPath(intent.to)]
  return inFolder(openFolder(root, from.folders), (source) =>
    inFolder(openOrMakeFolder(root, to.folders), async (target) => {
      const [old, fresh] = [source.at(from.name), target.at(to.name)]
      const stat = await statOf(root, old)
      if (!stat || !inodesOf(intent).includes(stat.ino)) return false
      if (stat.isDirectory() || !(await moveToFree(root, old, fresh))) {
        const isFree = stat.isDirectory() && !(await exists(root.disk, fresh))
        // A disk that ignores case or normal form finds the moved file itself there. Only a rename changes its name.
        const isItself = isOnlyRespelled(intent) && !(await isListed(root, target, to.name))
        if (!isFree && !isItself) return false
        await root.disk.rename(old, fresh)
      }
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

/**
 * A kill between the two steps of moving a file leaves both names of one file. Another file at the old path, which may
 * have got the inode of a removed original, is somebody else's.
 */
async function leaveOnlyTarget(root: FileRoot, intent: MoveIntent): Promise<void> {
  const [old, fresh] = await Promise.all([intent.from, intent.to].map((path) => inodeAt(root, path, intent)))
  if (old === undefined || old !== fresh) return
  await at(root, intent.from, async (path, folder) => {
    await root.disk.rm(path)
    await folder.sync()
  })
}

/** The inode at a path, if it is the one of the moved file or folder under exactly this name. */
async function inodeAt(root: FileRoot, path: string, intent: MoveIntent): Promise<number | undefined> {
  return at(root, path, async (full, folder) => {
    const stat = await statOf(root, full)
    if (!stat || !inodesOf(intent).includes(stat.ino)) return undefined
    // A case-insensitive file system finds a file under either spelling; only the listing shows which one it has.
    const isThere = !isOnlyRespelled(intent) || (await isListed(root, folder, splitPath(path).name))
    return isThere ? stat.ino : undefined
  }).catch(ignoreMissing)
}

/** A note that is moved and rewritten has the inode of its new content once it is rewritten. */
const inodesOf = ({ moved, from, rewrites }: MoveIntent): number[] => [
  moved,
  ...rewrites.filter(({ path }) => path === from).map(({ after }) => after.ino),
]

const pathsOf = ({ from, rewrites }: MoveIntent): string[] => [from, ...rewrites.map(({ path }) => path)]

const isOnlyRespelled = ({ from, to }: MoveIntent): boolean => identityKey(from) === identityKey(to)
