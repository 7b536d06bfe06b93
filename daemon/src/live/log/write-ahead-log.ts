import { encodeInTurns } from './encode-in-turns.ts'
import type { LogRecord, MakeRecord } from './log-record.ts'
import { Rest } from './rest.ts'

/** The file of a log. A test can lose what was not synced. */
export type LogFile = {
  /** Appends bytes and makes them durable. A failure leaves the file as it was before. */
  append(bytes: Buffer): Promise<void>
  /** Replaces the whole file in one durable step, when all of its bytes have come. */
  replace(bytes: AsyncIterable<Buffer>): Promise<void>
  remove(): Promise<void>
  close(): Promise<void>
}

/** Records what must survive a crash; many records share one sync. */
export type WriteAheadLog = {
  /**
   * Resolves when the record is durable; records become durable in the order of the calls. A failure fails every record
   * of the batch. A record may wait for `waitMs` so that others join it; a record that may not wait takes the waiting
   * ones along.
   */
  append(record: LogRecord, waitMs?: number): Promise<void>
  /** Rewrites the log with the state of all sessions; resolves when that is durable. */
  renew(): Promise<void>
  /** Writes a record without waiting. If it is lost, the next start has more work, but no text is lost. */
  note(record: LogRecord): void
  /** Resolves when everything appended before is durable or has failed. */
  attempted(): Promise<void>
  /** Nothing is unsaved: rewrites the log before the next record if much has come since it was last rewritten. */
  trim(): void
  close(): Promise<void>
}

type Options = {
  file: LogFile
  generation: number
  /**
   * The state of all sessions as records: the first content of a rewritten log. Each record is made when it is written,
   * from the state at the time of this call.
   */
  snapshot(): readonly MakeRecord[]
  /** Called at once when records could not be written. Records that are not durable yet never will be. */
  onFailure(error: unknown): void
  /** The size at which the log is rewritten. */
  maxBytes?: number
}

/** An entry without a record needs the log to be rewritten. */
type Waiting = { record: LogRecord | undefined; done: PromiseWithResolvers<void> | undefined }

const MAX_BYTES = 4 * 1024 * 1024
const TRIM_BYTES = 256 * 1024

/** Opens a log on an empty or replaced file. */
export function writeAheadLog({ file, generation, snapshot, onFailure, maxBytes = MAX_BYTES }: Options): WriteAheadLog {
  let current = generation
  let waiting: Waiting[] = []
  let writing: Promise<void> = Promise.resolve()
  /** What the next batch waits for, while one is scheduled. */
  let rest: Rest | undefined
  let bytes = 0
  /** What the log began with. Most of it may be needed still: a log of nothing but receipts can be large. */
  let begunWith = 0
  let limit = maxBytes
  let mustReplace = true

  async function writeAll(): Promise<void> {
    rest = undefined
    const batch = waiting
    waiting = []
    if (batch.length === 0) return
    try {
      const records = batch.map(({ record }) => record)
      if (mustReplace || bytes > limit || !records.every((record) => record !== undefined)) await startAnew()
      else await write(records)
      for (const { done } of batch) done?.resolve()
    } catch (error) {
      // After a failed write the content of the file is unknown, and the waiting records build on the failed ones.
      mustReplace = true
      const lost = [...batch, ...waiting]
      waiting = []
      onFailure(error)
      for (const { done } of lost) done?.reject(error)
    }
  }

  async function write(records: readonly LogRecord[]): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of encodeInTurns(
      current,
      records.map((record) => () => record),
    ))
      parts.push(part)
    const frames = Buffer.concat(parts)
    await file.append(frames)
    bytes += frames.length
  }

  /** The snapshot includes the waiting records, because sessions change before they log. */
  async function startAnew(): Promise<void> {
    const records = snapshot()
    current = (current + 1) >>> 0
    let written = 0
    async function* frames() {
      for await (const part of encodeInTurns(current, records)) {
        written += part.length
        yield part
      }
    }
    await file.replace(frames())
    bytes = begunWith = written
    limit = Math.max(maxBytes, 2 * bytes)
    mustReplace = false
  }

  function enqueue(entry: Waiting, waitMs = 0): void {
    waiting.push(entry)
    if (rest === undefined) {
      const { over } = (rest = new Rest())
      writing = writing.then(() => over).then(writeAll)
    }
    rest.endIn(waitMs)
  }

  function append(record: LogRecord | undefined, waitMs?: number): Promise<void> {
    const done = Promise.withResolvers<void>()
    enqueue({ record, done }, waitMs)
    return done.promise
  }

  return {
    append,
    renew: () => append(undefined),
    note: (record) => enqueue({ record, done: undefined }),
    async attempted() {
      await writing
    },
    trim() {
      if (bytes - begunWith > TRIM_BYTES) mustReplace = true
    },
    async close() {
      await writing
      // Most of the log is obsolete now. If the rewrite fails, the old log is complete too.
      if (bytes > 0) await startAnew().catch(() => {})
      await file.close()
    },
  }
}
