import { closeSync, readSync, rmSync, writeSync } from 'node:fs'
import { createFileSync, openRegularFileSync } from '../../files/open-sync.ts'
import { copyPooled, pooledLength, type PooledStreams } from '../postings/posting-pool.ts'

const BUFFERED = 1 << 20

/** Streams of bytes, one for each of the sorted terms of a part; empty ones too. They are read in the order of the terms. */
export type TermStreams = {
  lengthOf(index: number): number
  /** Copies the stream of a term to an offset of a buffer that has room for it. */
  copy(index: number, into: Uint8Array, offset: number): void
  /** Gives up what the streams take on disk. */
  remove(): void
}

/** Streams in a file, one behind the other, each as long as `lengths` says for the index of its term. */
export type Run = { path: string; lengths: Uint32Array }

/** Streams that are still in memory; `order` are the numbers of the terms in the order of the terms. */
export type OrderedStreams = PooledStreams & { order: Uint32Array }

/** Opens streams in memory. */
export const orderedStreams = (streams: OrderedStreams): TermStreams => ({
  lengthOf: (index) => pooledLength(streams, streams.order[index]!),
  copy: (index, into, offset) => copyPooled(streams, streams.order[index]!, into, offset),
  remove: () => {},
})

/** Writes streams in their order to a new file; returns how long each is, by the number of its term. */
export function writeRun(path: string, { order, ...streams }: OrderedStreams): Uint32Array {
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
    const length = pooledLength(streams, term)
    lengths[term] = length
    if (filled + length > BUFFERED) {
      flush(buffer.subarray(0, filled))
      filled = 0
    }
    if (length > BUFFERED) {
      const large = new Uint8Array(length)
      copyPooled(streams, term, large, 0)
      flush(large)
      continue
    }
    copyPooled(streams, term, buffer, filled)
    filled += length
  }
  flush(buffer.subarray(0, filled))
  closeSync(fd)
  return lengths
}

/** Opens the streams of a run. */
export function runStreams({ path, lengths }: Run): TermStreams {
  const { fd } = openRegularFileSync(path)
  const buffer = new Uint8Array(BUFFERED)
  let position = 0
  let bufferedFrom = 0
  let bufferedTo = 0
  return {
    lengthOf: (index) => lengths[index]!,
    copy(index, into, offset) {
      const length = lengths[index]!
      for (let done = 0; done < length;) {
        if (position === bufferedTo) {
          bufferedFrom = position
          bufferedTo = position + readSync(fd, buffer, 0, BUFFERED, position)
          if (bufferedTo === bufferedFrom) throw new Error('a file of postings is shorter than it was written')
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
