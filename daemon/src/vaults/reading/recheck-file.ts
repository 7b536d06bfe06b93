import { join } from 'node:path'
import type { Log } from '@svc/shared/kit/log.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { otherStamp, sameStamp, type FileStamp } from '../../files/file-stamp.ts'
import type { MountedFolders } from '../../files/mounted-folders.ts'
import { readWhole } from '../../files/open-file.ts'
import { isMarkdownName } from '../../files/vault-path.ts'
import type { EmptiedNotes } from '../../watch/emptied-notes.ts'
import { folderStampAt, stampAt } from '../../watch/list-folder.ts'
import { isBehindLink } from '../../watch/missing/stored-names.ts'
import type { Recheck } from '../../watch/vault-watch.ts'
import type { DoubtfulChanges } from '../doubtful-changes.ts'
import { kindOfChange, outsideOrigin, type ChangeOrigin, type FileContent } from '../vault-change.ts'
import type { VaultView } from '../vault-view.ts'
import type { OwnFolder } from './own-folder.ts'

/** Reads single files of a vault again. */
export type RecheckFile = {
  /** Publishes how a file differs from what is known of it. Runs inside the queue of its path. */
  recheckInQueue: Recheck
  /** Reads a file that may be a note; undefined when it is gone. */
  readIfMarkdown(path: string, stamp: FileStamp): Promise<Seen | undefined>
  /** True for a file that could not be read when it was last looked at. */
  isUnreadable(path: string): boolean
}

type Seen = { stamp: FileStamp; bytes?: Buffer; isUnreadable?: boolean }

type Options = {
  id: string
  root: string
  view: Pick<VaultView, 'manifest' | 'publish'>
  mounted: Pick<MountedFolders, 'awayAt'>
  isReplaced: OwnFolder['isReplaced']
  emptied: Pick<EmptiedNotes, 'isBeingWritten'>
  doubtful: DoubtfulChanges
  /** Describes the content of a file; for a file that cannot be a note, the bytes are undefined. */
  describeFile(path: string, bytes: Buffer | undefined): Promise<FileContent>
  maxNoteBytes: number
  log: Log
}

export function createRecheckFile({
  id,
  root,
  view: { manifest, publish },
  mounted,
  isReplaced,
  emptied,
  doubtful,
  describeFile,
  maxNoteBytes,
  log,
}: Options): RecheckFile {
  // Unreadable files that were logged: each is logged once, not at every sweep.
  const unreadable = new Set<string>()

  const recheckInQueue: Recheck = async (path, stored) => {
    const known = manifest.file(path)
    // Ask first: behind a link there may be a place that the daemon may not enter.
    const isHere = await (stored ? stored.has(path) : isReached(path))
    const stamp = isHere ? await stampAt(join(root, path)) : undefined
    if (await isReplaced()) return
    if (!stamp) {
      const isGone = (await mounted.awayAt(path)) === undefined && (await folderStampAt(root)) !== undefined
      if (known && isGone) publish({ kind: 'deleted', path, before: known.facts, origin: originOf(path, undefined) })
      if (isGone) unreadable.delete(path)
      doubtful.settled(path)
      return
    }
    if (known?.facts && sameStamp(known.stamp, stamp)) return doubtful.settled(path)
    const seen = await readIfMarkdown(path, stamp)
    // The file as it was read: it may have been emptied since the look at its stamp.
    if (!seen || (known?.facts?.kind === 'note' && emptied.isBeingWritten(path, known.stamp, seen.stamp))) return
    // Keep what is known of the file. Its stamp stays different, so every sweep tries to read it again.
    if (seen.isUnreadable && (known?.facts || manifest.keepFile(path))) return
    const content = await describeFile(path, seen.bytes)
    publish({
      kind: kindOfChange(known, content),
      path,
      stamp: seen.stamp,
      content,
      origin: originOf(path, seen.stamp),
    })
    doubtful.settled(path)
  }

  /** Reading a file that may be a note follows no link; of other files, only the stamp is taken. */
  const isReached = async (path: string) => isMarkdownName(path) || !(await isBehindLink(root, path))

  function originOf(path: string, seen: FileStamp | undefined): ChangeOrigin {
    const change = doubtful.find(path, seen)
    return change ? { kind: 'api', by: change.by, written: change.written } : outsideOrigin
  }

  async function readIfMarkdown(path: string, stamp: FileStamp): Promise<Seen | undefined> {
    if (!isMarkdownName(path)) return { stamp }
    try {
      const seen = await readWhole(root, path, maxNoteBytes)
      unreadable.delete(path)
      return seen
    } catch (error) {
      if (isFailure(error, 'not_found')) return undefined
      if (isFailure(error, 'payload_too_large')) return { stamp }
      if (!unreadable.has(path))
        log.warn({ err: error, vault: id, path }, 'a file cannot be read; what is known of it is kept')
      unreadable.add(path)
      return { stamp: otherStamp(stamp), isUnreadable: true }
    }
  }

  return { recheckInQueue, readIfMarkdown, isUnreadable: (path) => unreadable.has(path) }
}
