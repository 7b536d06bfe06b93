import { constants } from 'node:fs'
import type { Disk, DiskFile } from './disk/disk.ts'
import { withFileFailures } from './fs-failure.ts'
import { openToAppendOn, statOfOpen } from './regular-file.ts'

type Waiting = { line: string; durably: boolean; done(): void; failed(error: unknown): void }

/** Appends lines to a file of the daemon's own. Many lines share one sync. */
export type LineAppender = {
  /** Resolves when the line is on disk and survives a power loss. */
  append(line: string): Promise<void>
  /**
   * Writes a line without a sync of its own, in the next turn of the event loop or together with an earlier line. A
   * line that could not be written is written again with the next one.
   */
  appendLater(line: string): void
  /** Writes the remaining lines; resolves when every line so far is written, or could not be. */
  flush(): Promise<void>
}

type Options = { path: string; disk: Disk; isLocal?: boolean }

/**
 * Appends lines to one file. A line cut by a crash or a full disk never merges with the next one. On a disk of this
 * machine, lines are written first and synced separately: the file system can combine that sync with a sync of another
 * file at the same time.
 */
export function createLineAppender({ path, disk, isLocal = false }: Options): LineAppender {
  let waiting: Waiting[] = []
  let writing = Promise.resolve()
  // The length of the file after our last complete line.
  let ended: number | undefined

  async function writeAll(): Promise<void> {
    const batch = waiting
    waiting = []
    if (batch.length === 0) return
    try {
      await withFileFailures(() => write(batch))
      for (const { done } of batch) done()
    } catch (error) {
      waiting = [...batch.filter(({ durably }) => !durably), ...waiting]
      for (const { durably, failed } of batch) if (durably) failed(error)
    }
  }

  async function write(batch: readonly Waiting[]): Promise<void> {
    const isDurable = batch.some(({ durably }) => durably)
    // On other disks, writing and syncing in one step saves a round trip.
    const handle = await openToAppendOn(disk, path, isDurable && !isLocal ? constants.O_DSYNC : 0)
    try {
      const { size } = statOfOpen(handle)
      const start = size === 0 || size === ended || (await endsLine(handle, size)) ? '' : '\n'
      const bytes = Buffer.from(`${start}${batch.map(({ line }) => `${line}\n`).join('')}`)
      try {
        await handle.writeFile(bytes)
        if (isDurable && isLocal) await handle.datasync()
        ended = size + bytes.length
      } catch (error) {
        // Unconfirmed lines must not be read as entries.
        await handle.truncate(size).catch(() => {})
        throw error
      }
    } finally {
      // The lines are already as durable as they must be, so nobody waits for the close.
      handle.close().catch(() => {})
    }
  }

  return {
    append: (line) =>
      new Promise((resolve, reject) => {
        waiting.push({ line, durably: true, done: resolve, failed: reject })
        writing = writing.then(writeAll)
      }),
    appendLater(line) {
      waiting.push({ line, durably: false, done: () => {}, failed: () => {} })
      // Responses that are sent in this turn of the event loop do not wait for the write.
      setImmediate(() => (writing = writing.then(writeAll)))
    },
    flush: () => (writing = writing.then(writeAll)),
  }
}

async function endsLine(handle: DiskFile, size: number): Promise<boolean> {
  const last = Buffer.alloc(1)
  await handle.read(last, 0, 1, size - 1)
  return last[0] === 0x0a
}
