import { closeSync, fdatasync, ftruncateSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Log } from '@svc/shared/kit/log.ts'
import { errnoOf } from '../files/fs-failure.ts'
import { createFileSync, openOrMakeToAppendSync, openToAppendSync } from '../files/open-sync.ts'
import type { Change } from './pending-commits.ts'
import { frameOf, parseFrames, type QueueEntry } from './queue-frames.ts'

/**
 * The file of changes that are not in git yet, so that no author is lost when the daemon is killed. If a change cannot
 * be queued, it may only be found later, without its author. Neither the note nor its writer depends on the queue.
 */
export type ChangeQueue = {
  /** What an earlier run left: the changes, and those that were passed to git, by batch. */
  load(): { changes: Change[]; batches: Map<string, readonly number[]> }
  add(change: Change): void
  /** Records that the changes with these ids are passed to git as one batch. */
  begin(batch: string, ids: readonly number[]): void
  /** Forgets everything but these changes. */
  keep(changes: readonly Change[]): void
  close(): void
}

type Options = {
  path: string
  log: Log
  /** An argument, so that a test can fill the disk. */
  write?: (fd: number, bytes: Buffer) => number
}

// A queue larger than this is committed to git at once, and until then no further change is queued.
const MAX_BYTES = 64 * 1024 * 1024
// Superseded entries may take this many bytes before the file is rewritten.
const SLACK_BYTES = 1024 * 1024
const sync = promisify(fdatasync)

/** Opens the queue file of one vault when it is first used. */
export function changeQueue({ path, log, write = writeSync }: Options): ChangeQueue {
  let fd: number | undefined
  let size = 0
  let isFailing = false
  let syncing: Promise<void> | undefined

  function open(how = openOrMakeToAppendSync): number {
    if (fd !== undefined) return fd
    const opened = how(path)
    size = opened.stat.size
    return (fd = opened.fd)
  }

  function attempt(run: () => void): void {
    try {
      run()
      isFailing = false
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'changes on their way to the history cannot be queued on disk')
      isFailing = true
    }
  }

  /** One write into the page cache: it survives a kill, and takes microseconds. The sync against power loss follows. */
  function append(entry: QueueEntry): void {
    attempt(() => {
      const file = open()
      const frame = frameOf(entry)
      if (size + frame.length > MAX_BYTES) return
      try {
        for (let done = 0; done < frame.length;) done += write(file, frame.subarray(done))
        size += frame.length
      } catch (error) {
        ftruncateSync(file, size)
        throw error
      }
      // Starts after the response to the writer.
      syncing ??= setImmediate()
        .then(() => sync(file))
        .catch(() => {})
        .finally(() => (syncing = undefined))
    })
  }

  function release(): void {
    const file = fd
    fd = undefined
    if (file !== undefined) void (syncing ?? Promise.resolve()).then(() => closeSync(file))
  }

  return {
    load() {
      const changes: Change[] = []
      const batches = new Map<string, readonly number[]>()
      try {
        const file = open(openToAppendSync)
        const { entries, wholeBytes } = parseFrames(wholeOf(file, size))
        if (wholeBytes < size) ftruncateSync(file, (size = wholeBytes))
        for (const entry of entries)
          if (entry.kind === 'change') changes.push(entry.change)
          else batches.set(entry.batch, entry.ids)
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT') {
          log.error({ err: error }, 'the queue of the history cannot be read; a new one begins')
          attempt(() => rmSync(path, { force: true, recursive: true }))
        }
      }
      return { changes, batches }
    },
    add: (change) => append({ kind: 'change', change }),
    begin: (batch, ids) => append({ kind: 'batch', batch, ids }),
    keep(changes) {
      attempt(() => {
        const file = open()
        if (changes.length === 0) {
          ftruncateSync(file, (size = 0))
          return release()
        }
        // Checked before anything is copied: this may be called every few seconds.
        const least = changes.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0)
        if (size < 2 * least + SLACK_BYTES) return
        const frames = Buffer.concat(changes.map((change) => frameOf({ kind: 'change', change })))
        if (size < 2 * frames.length + SLACK_BYTES) return
        rmSync(`${path}.new`, { force: true })
        const draft = createFileSync(`${path}.new`)
        try {
          for (let done = 0; done < frames.length;) done += write(draft, frames.subarray(done))
        } finally {
          closeSync(draft)
        }
        renameSync(`${path}.new`, path)
        release()
      })
    },
    close: release,
  }
}

function wholeOf(fd: number, size: number): Buffer {
  const bytes = Buffer.alloc(size)
  for (let done = 0; done < size;) {
    const read = readSync(fd, bytes, done, size - done, done)
    if (read === 0) return bytes.subarray(0, done)
    done += read
  }
  return bytes
}
