import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { FileRoot } from '../files/file-root.ts'
import { errnoOf, withFileFailures } from '../files/fs-failure.ts'
import { inFolder, openFolder, type OpenFolder } from '../files/open-folder.ts'
import { newName, TMP } from '../files/stage-file.ts'
import { recoverMove } from './carry-out-move.ts'
import { META, UnreadableIntent } from './intent-file.ts'
import { recoverJointChange } from './joint-change.ts'

/** Prefix of the folders in `.svc` with what a change has left that cannot be recovered. */
export const UNFINISHED = 'unfinished-'

/**
 * Recovers from a crash during a change: each change is either undone or completed. Returns whether there was one. Fails
 * while there is an intent that cannot be read; the next start puts it aside.
 */
export async function recoverChanges(root: FileRoot): Promise<boolean> {
  try {
    const isMoveEnded = await recoverMove(root)
    const isChangeEnded = await recoverJointChange(root)
    return isMoveEnded || isChangeEnded
  } catch (error) {
    if (!(error instanceof UnreadableIntent)) throw error
    throw fail('path_conflict', { existing: [...META, error.file].join('/') }, { cause: error })
  }
}

/**
 * Like `recoverChanges`, before anything else is written to the vault. An intent that cannot be read is put aside
 * together with the folder for temporary files: a file that is held there may be the only one with its content. False if
 * a change is still unfinished, so that nothing may be removed from that folder.
 */
export async function recoverAtStart(root: FileRoot, log: Log): Promise<boolean> {
  const unreadable: string[] = []
  let wasInterrupted = false
  try {
    for (const recover of [recoverMove, recoverJointChange])
      try {
        if (await recover(root)) wasInterrupted = true
      } catch (error) {
        if (!(error instanceof UnreadableIntent)) throw error
        unreadable.push(error.file)
      }
    if (wasInterrupted) log.warn('an interrupted change of many files has been completed or undone')
    if (unreadable.length > 0) {
      const aside = await putAside(root, unreadable)
      log.error({ aside, unreadable }, 'an interrupted change cannot be understood; the files that it held are kept')
    }
    return true
  } catch (error) {
    log.error({ err: error }, 'an interrupted change could not be recovered; the next start tries again')
    return false
  }
}

/** Moves the folder for temporary files away first: without the intent, a start after a kill would clear it. */
function putAside(root: FileRoot, intents: readonly string[]): Promise<string> {
  const name = UNFINISHED + newName()
  const move = async (meta: OpenFolder) => {
    await root.disk.rename(meta.at(TMP[1]), meta.at(name)).catch((error: unknown) => {
      if (errnoOf(error) !== 'ENOENT') throw error
      return root.disk.mkdir(meta.at(name))
    })
    await meta.sync()
    await inFolder(openFolder(root, [...META, name]), async (aside) => {
      for (const intent of intents) await root.disk.rename(meta.at(intent), aside.at(intent))
      await aside.sync()
    })
    await meta.sync()
    return [...META, name].join('/')
  }
  return withFileFailures(() => inFolder(openFolder(root, META), move))
}
