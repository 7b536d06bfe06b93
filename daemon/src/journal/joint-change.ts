import { z } from 'zod'
import type { FileRoot } from '../files/file-root.ts'
import { errnoOf, ignoreMissing } from '../files/fs-failure.ts'
import { isSameFile } from '../files/file-stamp.ts'
import { inFolder, openOrMakeFolder } from '../files/open-folder.ts'
import { exists, moveToFree } from '../files/place-file.ts'
import { removeQuietly } from '../files/stage-file.ts'
import { splitPath } from '../files/vault-path.ts'
import { at, hold, inTmp, isHeldAsBefore, putHeldBack, replace, statOf, syncFolders } from './held-files.ts'
import type { Workshop } from './held-files.ts'
import { intentFile, UnreadableIntent } from './intent-file.ts'
import { DraftName, FOLDERS_FILE, Identity, VaultPath } from './move-intent.ts'

const TrashFolder = z.string().regex(/^\.svc\/trash(?:\/[0-9a-z-]+)?$/)
const TrashPath = z.string().regex(/^\.svc\/trash\/[0-9a-z-]+\/(?:entry\.json|content)$/)
const CONTENT = /^\.svc\/trash\/[0-9a-z-]+\/content\//
/** A file in a folder that was deleted. */
const TrashedFile = z
  .string()
  .regex(CONTENT)
  .refine((path) => VaultPath.safeParse(path.replace(CONTENT, '')).success)

const Step = z.object({
  path: VaultPath.or(TrashPath).or(TrashedFile).or(z.literal(FOLDERS_FILE)),
  /** The old content is kept under this name until the change is finished. */
  held: DraftName,
  /** The new content waits under this name; a removed file is moved here. */
  staged: DraftName,
  /** The file before and after the change; undefined where it does not exist. */
  before: Identity.optional(),
  after: Identity.optional(),
})
export type Step = z.infer<typeof Step>

/**
 * A change of any number of files, each of which is written, created or removed. A path may have two steps: one file
 * leaves it and another one takes its place. While the intent exists, the change is not final and every step can be
 * undone; removing the intent decides.
 */
export const JointChange = z.object({
  format: z.literal(1),
  steps: z.array(Step),
  /** The folders that the change creates, parents before children. */
  folders: z.array(VaultPath.or(TrashFolder)),
  /** The folders that the change removes if they are empty by then, parents before children. */
  emptied: z.array(VaultPath).default([]),
})
export type JointChange = z.infer<typeof JointChange>

const FILE = 'change.json'
const jointIntent = intentFile({ name: FILE, schema: JointChange, list: 'steps', item: Step })

type Carry = { root: FileRoot; change: JointChange }

/**
 * Makes all of a change or none of it, even across a kill or a power loss. Returns false, with nothing changed, if a
 * file is not as planned. A failure also leaves nothing changed; if the volume prevents even that, the intent stays and
 * `recoverJointChange` undoes the change later.
 */
export async function makeJointChange(carry: Carry): Promise<boolean> {
  const { root, change } = carry
  await jointIntent.write(root, change).catch(async (error: unknown) => {
    // It may be in place without being durable. Nothing has been changed yet.
    await jointIntent.clear(root).catch(() => {})
    throw error
  })
  try {
    const isMade = await carryOut(carry)
    if (isMade) await jointIntent.clear(root)
    else await takeBack(carry)
    await release(carry).catch(() => {})
    return isMade
  } catch (error) {
    await takeBack(carry)
      .then(() => release(carry))
      .catch(() => {})
    throw error
  }
}

/**
 * Undoes a change that a crash or a failing volume has interrupted. Returns whether there was one. Throws
 * `UnreadableIntent` if that would lose files.
 */
export async function recoverJointChange(root: FileRoot): Promise<boolean> {
  const change = await jointIntent.read(root).catch(ignoreMissing)
  if (!change) return false
  if (await isLeftBehind({ root, change })) throw new UnreadableIntent(FILE, new Error('what it held is gone'))
  await takeBack({ root, change })
  await release({ root, change })
  return true
}

/**
 * True if a file is placed, and old content is not held. All of it is held before the first file is placed, and until no
 * placed file is left. So an earlier version has removed what was held, and the placed file may be the only one with its
 * content.
 */
function isLeftBehind({ root, change: { steps } }: Carry): Promise<boolean> {
  return inTmp(root, async (tmp) => {
    for (const { before, held } of steps)
      if (before && !(await exists(root.disk, tmp.at(held)))) return hasPlaced({ root, steps })
    return false
  })
}

async function hasPlaced({ root, steps }: { root: FileRoot; steps: readonly Step[] }): Promise<boolean> {
  for (const step of steps) if (!step.before && (await isPlaced(root, step))) return true
  return false
}

async function isPlaced(root: FileRoot, { path, after }: Step): Promise<boolean> {
  const now = await at(root, path, (name) => statOf(root, name)).catch(ignoreMissing)
  return now !== undefined && after !== undefined && isSameFile(now, after)
}

function carryOut({ root, change: { steps, folders, emptied } }: Carry): Promise<boolean> {
  return inTmp(root, async (tmp) => {
    const work = { root, tmp }
    for (const { before, ...step } of steps)
      if (before && !(await hold(work, { ...step, before }).catch(ignoreMissing))) return false
    // The held contents must survive a power loss, because a rename may survive it.
    await tmp.sync()
    // Free names before other files take them.
    for (const step of steps) if (!step.after && !(await remove(work, step))) return false
    for (const { before, after, ...step } of steps)
      if (before && after && !(await replace(work, { ...step, before, after }).catch(ignoreMissing))) return false
    for (const folder of folders) await makeFolder(root, folder)
    for (const step of steps) if (!step.before && !(await place(work, step))) return false
    for (const folder of emptied.toReversed()) await removeEmpty(root, folder)
    const paths = [...steps.map(({ path }) => path), ...folders, ...emptied]
    await syncFolders(root, paths)
    return true
  })
}

/**
 * Renames a file away and then checks it: the file that was moved is the file that is checked, even if somebody has
 * just saved another one there.
 */
function remove({ root, tmp }: Workshop, { path: file, held, staged, before }: Step): Promise<boolean> {
  return at(root, file, async (path) => {
    const away = tmp.at(staged)
    await root.disk.rename(path, away)
    const now = await root.disk.lstat(away)
    if (before && isSameFile(now, before) && (await isHeldAsBefore({ root, tmp }, { path: file, held, before })))
      return true
    await moveToFree(root, away, path)
    return false
  }).catch((error: unknown) => {
    if (errnoOf(error) !== 'ENOENT') ignoreMissing(error)
    return false
  })
}

function place({ root, tmp }: Workshop, { path, staged }: Step): Promise<boolean> {
  const { folders, name } = splitPath(path)
  return inFolder(openOrMakeFolder(root, folders), (folder) => moveToFree(root, tmp.at(staged), folder.at(name)))
}

/**
 * Undoes every step that was made. A file that somebody else has written since stays. Without the intent, a crash in
 * between would leave the rest as it is, so one that is gone is written again first.
 */
async function takeBack({ root, change }: Carry): Promise<void> {
  const { steps, folders, emptied } = change
  if (!(await jointIntent.isThere(root))) await jointIntent.write(root, change)
  await inTmp(root, async (tmp) => {
    for (const step of steps) if (!step.before) await unplace(root, step)
    for (const { before, after, ...step } of steps)
      if (before && after) await putHeldBack({ root, tmp }, { ...step, after })
    for (const folder of emptied) await makeFolder(root, folder)
    for (const step of steps) if (!step.after) await putRemovedBack({ root, tmp }, step)
    for (const folder of folders.toReversed()) await removeEmpty(root, folder)
    const paths = [...steps.map(({ path }) => path), ...folders, ...emptied]
    await syncFolders(root, paths)
  })
  await jointIntent.clear(root)
}

async function unplace(root: FileRoot, { path: file, after }: Step): Promise<void> {
  await at(root, file, async (path) => {
    const now = await statOf(root, path)
    if (now && after && isSameFile(now, after)) await root.disk.rm(path)
  }).catch(ignoreMissing)
}

async function putRemovedBack({ root, tmp }: Workshop, { path: file, held }: Step): Promise<void> {
  await at(root, file, async (path) => {
    if ((await exists(root.disk, tmp.at(held))) && !(await exists(root.disk, path)))
      await moveToFree(root, tmp.at(held), path)
  }).catch(ignoreMissing)
}

const makeFolder = (root: FileRoot, folder: string): Promise<void> =>
  inFolder(openOrMakeFolder(root, folder.split('/')), async () => {})

/** Removes a folder, unless somebody has put something into it since. */
async function removeEmpty(root: FileRoot, folder: string): Promise<void> {
  await at(root, folder, (path) => root.disk.rmdir(path)).catch((error: unknown) => {
    if (errnoOf(error) !== 'ENOTEMPTY' && errnoOf(error) !== 'ENOTDIR' && errnoOf(error) !== 'ENOENT')
      ignoreMissing(error)
  })
}

function release({ root, change: { steps } }: Carry): Promise<void> {
  return inTmp(root, async (tmp) => {
    for (const { held, staged } of steps) for (const name of [held, staged]) await removeQuietly(root, tmp, name)
  })
}
