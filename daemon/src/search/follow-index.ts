import { join } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { sameStamp, type FileStamp } from '../files/file-stamp.ts'
import { readWhole } from '../files/open-file.ts'
import type { DescribeFile } from '../notes/describe-file.ts'
import { perVault, type FileContent, type PerVault, type VaultFollower } from '../vaults/vault-change.ts'
import { createSearchIndex, type SearchIndex } from './search-index.ts'
import { createSearchRoom } from './search-room.ts'
import type { SegmentBuilds } from './segment/segment-builds.ts'
import type { Walks } from './walk/walk-process.ts'

type Options = {
  /** The folder of the segments of all vaults; each vault has a sub-folder. */
  folder: string
  builds: SegmentBuilds
  walks: Pick<Walks, 'walk'>
  describeFile: DescribeFile
  maxNoteBytes: number
  clock: Clock
  log: Log
}

/** Keeps the search index of every vault. */
export function followIndex({
  folder,
  builds,
  walks,
  describeFile,
  maxNoteBytes,
  clock,
  log,
}: Options): PerVault<SearchIndex & VaultFollower> {
  const room = createSearchRoom(clock)
  return perVault(({ id, root, manifest }) => {
    const index = createSearchIndex({
      root,
      file: join(folder, id, 'segment'),
      builds,
      walks,
      room,
      clock,
      log: log.child({ vault: id }),
      compareFiles: (files) => manifest.compare(files),
      onRebuilt: (missed) => void putAgain(missed),
    })
    // Known notes that neither the segment build nor a later read could read, for example on a disk that is away.
    const unread = new Set<string>()

    function put(path: string, stamp: FileStamp, content: FileContent): void {
      if (!('text' in content)) return index.remove(path)
      const { text, facts, tags, properties } = content
      index.put(stamp, { path, text, title: facts.title, tags, properties })
    }

    /**
     * Reads notes again that are missing in a new segment and for which the memory index had no room. A note that has
     * changed since gets a change event of its own; one that cannot be read is left to the next sweep.
     */
    async function putAgain(missed: ReadonlySet<string>): Promise<void> {
      for (const path of unread) if (!missed.has(path)) unread.delete(path)
      for (const path of missed) {
        const seen = await readWhole(root, path, maxNoteBytes).catch(() => undefined)
        if (!seen) {
          manifest.doubt(path)
          if (manifest.hasFile(path)) unread.add(path)
          continue
        }
        unread.delete(path)
        const content = await describeFile(path, seen.bytes)
        const known = manifest.file(path)
        if (known && sameStamp(known.stamp, seen.stamp)) put(path, seen.stamp, content)
      }
    }

    return {
      ...index,
      async find(request) {
        const findings = await index.find(request)
        return unread.size === 0 ? findings : { ...findings, partial: true }
      },
      changed(change) {
        if (change.kind === 'folder_created' || change.kind === 'folder_deleted' || change.kind === 'folder_moved')
          return
        unread.delete(change.path)
        if (change.kind === 'deleted') index.remove(change.path)
        else put(change.path, change.stamp, change.content)
      },
    }
  })
}
