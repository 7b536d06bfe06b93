import { closeSync, readSync, rmSync, writeSync } from 'node:fs'
import { createFileSync } from '../../files/open-sync.ts'
import type { PostingPool } from './posting-pool.ts'

const BUFFERED = 1 << 20

/** Streams of a pool that was full, on disk in the order of their terms. They are read back once, in that order. */
export type SpillFile = {
  /** Bytes that a term has here. Terms must be asked for in the order of the spill. */
  lengthOf(term: number): number
  /** Reads the next stream, which must be that of a term that has one. */
  read(into: Uint8Array, offset: number, length: number): void
  remove(): void
}

/** Writes the streams of all terms, in the given order, to a new file. */
export function spill(path: string, pool: PostingPool, order: Uint32Array): SpillFile {
  const fd = createFileSync(path)
  const lengths = new Uint32Array(order.length)
  const buffer = new Uint8Array(BUFFERED)
  let filled = 0
  let written = 0
  const flush = (bytes: Uint8Array) => {
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, written + done)
    written += bytes.length
  }
  for (const term of order) {
    const length = pool.lengthOf(term)
    lengths[term] = length
    if (filled + length > BUFFERED) {
      flush(buffer.subarray(0, filled))
      filled = 0
    }
    if (length > BUFFERED) {
      const large = new Uint8Array(length)
      pool.copy(term, large, 0)
      flush(large)
      continue
    }
    pool.copy(term, buffer, filled)
    filled += length
  }
  flush(buffer.subarray(0, filled))

  let position = 0
  let bufferedFrom = 0
  let bufferedTo = 0
  return {
    lengthOf: (term) => lengths[term] ?? 0,
    read(into, offset, length) {
      for (let done = 0; done < length;) {
        if (position === bufferedTo) {
          bufferedFrom = position
          bufferedTo = position + readSync(fd, buffer, 0, BUFFERED, position)
          if (bufferedTo === bufferedFrom) throw new Error('a spill file is shorter than it was written')
        }
        const part = Math.min(length - done, bufferedTo - position)
        into.set(buffer.subarray(position - bufferedFrom, position - bufferedFrom + part), offset + done)
        position += part
        done += part
      }
    },
    remove() {
      closeSync(fd)
      rmSync(path, { force: true })
    },
  }
}
