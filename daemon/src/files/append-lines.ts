import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { Disk } from './disk.ts'
import { withFileFailures } from './fs-failure.ts'
import { openToAppend, statOfOpen } from './regular-file.ts'

type Waiting = { line: string; durably: boolean; done(): void; failed(error: unknown): void }

/** Appends lines to a file of the daemon's own, many with one sync. */
export type LineAppender = {
  /** Resolves when the line is on disk and survives a power loss. */
  append(line: string): Promise<void>
  /** Writes a line with the next ones, without a sync of its own. A failed line is written again with the next. */
  appendLater(line: string): void
  /** Writes the remaining lines; resolves when every line so far is written, or could not be. */
  flush(): Promise<void>
}

/** Appends lines to one file. A line cut by a crash or a full disk never merges with the next one. */
export function createLineAppender({ path, disk }: { path: string; disk: Disk }): LineAppender {
  let waiting: Waiting[] = []
  let writing = Promise.resolve()
  // The length of the file after the last whole line of ours.
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
    // Writing and syncing in one step saves the way to another thread.
    const flags = batch.some(({ durably }) => durably) ? constants.O_DSYNC : 0
    const handle = await openToAppend(path, { disk, flags })
    try {
      const { size } = statOfOpen(handle)
      const start = size === 0 || size === ended || (await endsLine(handle, size)) ? '' : '\n'
      const bytes = Buffer.from(`${start}${batch.map(({ line }) => `${line}\n`).join('')}`)
      try {
        await handle.writeFile(bytes)
        ended = size + bytes.length
      } catch (error) {
        // What was not confirmed must not be read as an entry.
        await handle.truncate(size).catch(() => {})
        throw error
      }
    } finally {
      // What was written is on disk as far as it must be, so nobody waits for the close.
      handle.close().catch(() => {})
    }
  }

  function enqueue(entry: Waiting): void {
    waiting.push(entry)
    writing = writing.then(writeAll)
  }

  return {
    append: (line) => new Promise((resolve, reject) => enqueue({ line, durably: true, done: resolve, failed: reject })),
    appendLater: (line) => enqueue({ line, durably: false, done: () => {}, failed: () => {} }),
    flush: () => (writing = writing.then(writeAll)),
  }
}

async function endsLine(handle: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] === 0x0a
}
