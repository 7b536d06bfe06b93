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
  /** An argument, so that a test can hold the disk. */
  sync?: (fd: number) => Promise<void>
}

// A queue larger than this is committed to git at once, and until then no further change is queued.
const MAX_BYTES = 64 * 1024 * 1024
// Superseded entries may take this many bytes before the file is rewritten.
const SLACK_BYTES = 1024 * 1024
const syncFile = promisify(fdatasync)

/** Opens the queue file of one vault when it is first used. */
export function changeQueue({ path, log, write = writeSync, sync = syncFile }: Options): ChangeQueue {
  let file: SyncedFile | undefined
  let size = 0
  let isFailing = false

  function open(how = openOrMakeToAppendSync): SyncedFile {
    if (file) return file
    const { fd, stat } = how(path)
    size = stat.size
    return (file = syncedFile(fd, sync))
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
      const { fd, changed } = open()
      const frame = frameOf(entry)
      if (size + frame.length > MAX_BYTES) return
      try {
        for (let done = 0; done < frame.length;) done += write(fd, frame.subarray(done))
        size += frame.length
      } catch (error) {
        ftruncateSync(fd, size)
        throw error
      }
      changed()
    })
  }

  function release(): void {
    file?.close()
    file = undefined
  }

  return {
    load() {
      const changes: Change[] = []
      const batches = new Map<string, readonly number[]>()
      try {
        const { fd } = open(openToAppendSync)
        const { entries, wholeBytes } = parseFrames(wholeOf(fd, size))
        if (wholeBytes < size) ftruncateSync(fd, (size = wholeBytes))
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
        const { fd } = open()
        if (changes.length === 0) {
          ftruncateSync(fd, (size = 0))
          return release()
        }
        // Checked before anything is copied: this may be called every few seconds.
        const least = changes.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0)
        if (size < 2 * least + SLACK_BYTES) return
        const frames = Buffer.concat(changes.map((change) => frameOf({ kind: 'change', change })))
        if (size < 2 * frames.length + SLACK_BYTES) return
        rmSync(`${path}.new`, { force: true })
        const draft = syncedFile(createFileSync(`${path}.new`), sync)
        try {
          for (let done = 0; done < frames.length;) done += write(draft.fd, frames.subarray(done))
          draft.changed()
          renameSync(`${path}.new`, path)
        } finally {
          draft.close()
        }
        release()
      })
    },
    close: release,
  }
}

/** An open file that is synced in the background. */
type SyncedFile = {
  fd: number
  /** Something was written to the file. A sync that has begun may miss it, so another one follows. */
  changed(): void
  /** Closes the file once everything is synced. */
  close(): void
}

function syncedFile(fd: number, sync: (fd: number) => Promise<void>): SyncedFile {
  let isDue = false
  let syncing: Promise<void> | undefined

  async function run(): Promise<void> {
    while (isDue) {
      // Starts after the response to the writer.
      await setImmediate()
      isDue = false
      await sync(fd).catch(() => {})
    }
    syncing = undefined
  }

  return {
    fd,
    changed() {
      isDue = true
      syncing ??= run()
    },
    close: () => void (syncing ?? Promise.resolve()).then(() => closeSync(fd)),
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
