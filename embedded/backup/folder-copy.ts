import { isUtf8 } from 'node:buffer'
import type { BigIntStats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { ArchiveWriter } from './archive-writer.ts'

type Options = { archive: ArchiveWriter; clock: Clock }

type Copied = { stats: BigIntStats; stable: boolean }

// Two changes within one tick of the kernel's clock look alike. A file that had changed this shortly before it was read
// is read again.
const UNSTABLE_MS = 1_000

// A daemon's lock names the process that holds this folder. In a copy it would keep the daemon from starting as long as
// that process runs.
const LOCKS = /^data\/daemons\/[^/]+\/home\/daemon\/lock(\.|$)/

/**
 * Copies folders into an archive, and then again what has changed. Files change while the first pass reads them; the
 * last pass runs while nothing changes, so the archive holds the state of that time.
 */
export function createFolderCopy({ archive, clock }: Options) {
  const copied = new Map<string, Copied>()
  const skipped = new Set<string>()

  const visit = async (name: string, path: string, seen: Set<string>): Promise<void> => {
    if (LOCKS.test(name)) return
    const stats = await lstat(path, { bigint: true }).catch(ifGone)
    if (stats === undefined) return
    const before = copied.get(name)
    const unchanged = before?.stable && sameState(before.stats, stats)
    const readAt = clock.now().getTime()
    let state = stats
    if (stats.isDirectory()) {
      if (!unchanged) await archive.addDirectory(name, stats)
    } else if (stats.isSymbolicLink()) {
      if (!unchanged) await archive.addLink(name, path)
    } else if (stats.isFile()) {
      const read = unchanged ? stats : await archive.addFile(name, path).catch(ifGone)
      if (read === undefined) return
      state = read
    } else {
      skipped.add(name)
      return
    }
    seen.add(name)
    copied.set(name, { stats: state, stable: unchanged || Number(state.ctimeMs) < readAt - UNSTABLE_MS })
    if (!stats.isDirectory()) return
    for (const entry of (await readdir(path, { encoding: 'buffer' }).catch(ifGone)) ?? []) {
      // The text of such a name leads to no file, so that the file would look gone.
      if (isUtf8(entry)) await visit(`${name}/${entry}`, join(path, `${entry}`), seen)
      else skipped.add(`${name}/${entry}`)
    }
  }

  return {
    /** What is left out: names that are not UTF-8, and sockets, FIFOs and devices, which have no content to keep. */
    skipped,
    /** Copies new and changed files under these names, and drops deleted ones. */
    async pass(sources: { name: string; path: string }[]): Promise<void> {
      const seen = new Set<string>()
      for (const { name, path } of sources) await visit(name, path, seen)
      for (const name of copied.keys()) {
        if (seen.has(name)) continue
        copied.delete(name)
        archive.forget(name)
      }
    },
  }
}

const sameState = (one: BigIntStats, other: BigIntStats) =>
  one.ino === other.ino &&
  one.mode === other.mode &&
  one.size === other.size &&
  one.mtimeNs === other.mtimeNs &&
  one.ctimeNs === other.ctimeNs

function ifGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}
