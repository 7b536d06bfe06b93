import { closeSync, readSync, rmSync, writeSync } from 'node:fs'
import { createFileSync, openRegularFileSync } from '../../files/open-sync.ts'
import { bucketOf, numberInBucket, type OrderedPostings } from '../postings/note-postings.ts'
import { copyBytes, type ByteRange } from './copy-bytes.ts'

const BUFFERED = 1 << 20

/** Bytes of one term, and room for more of them. */
export class TermBytes {
  postings = new Uint8Array(1 << 16)
  positions = new Uint8Array(1 << 16)
  /** Where the bytes end. */
  postingsEnd = 0
  positionsEnd = 0

  /** Removes all bytes, and makes room for others. */
  reserve(bytes: number): void {
    if (bytes > this.postings.length) {
      this.postings = new Uint8Array(bytes * 2)
      this.positions = new Uint8Array(bytes * 2)
    }
    this.postingsEnd = 0
    this.positionsEnd = 0
  }
}

/**
 * Postings and positions of the sorted terms of a part, of some of its notes. They are read in the order of the terms.
 */
export type PostingStream = {
  /** Appends those of a term. */
  appendTo(term: TermBytes, index: number): void
  /** Gives up what the postings take on disk. */
  remove(): void
}

/** Postings in a file, term by term. `lengths` has two numbers for each: its bytes of postings and of positions. */
export type Run = { path: string; lengths: Uint32Array }

/** Opens postings in memory. */
export const orderedStream = ({ order, buckets }: OrderedPostings): PostingStream => ({
  appendTo(into, index) {
    const term = order[index]!
    const { bytes, starts, lengths } = buckets[bucketOf(term)]!
    const number = numberInBucket(term)
    const start = starts[number]!
    const [postings, positions] = [lengths[number * 2]!, lengths[number * 2 + 1]!]
    copyBytes({ bytes, start, count: postings }, into.postings, into.postingsEnd)
    copyBytes({ bytes, start: start + postings, count: positions }, into.positions, into.positionsEnd)
    into.postingsEnd += postings
    into.positionsEnd += positions
  },
  remove() {},
})

/** Writes postings to a new file; returns the lengths of a run, but in the order of the numbers of the terms. */
export function writeRun(path: string, { order, buckets }: OrderedPostings): Uint32Array {
  const fd = createFileSync(path)
  const all = new Uint32Array(order.length * 2)
  const buffer = new Uint8Array(BUFFERED)
  let filled = 0
  let written = 0
  const flush = (bytes: Uint8Array) => {
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, written + done)
    written += bytes.length
  }
  const write = (range: ByteRange) => {
    if (filled + range.count > BUFFERED) {
      flush(buffer.subarray(0, filled))
      filled = 0
    }
    if (range.count > BUFFERED) return flush(range.bytes.subarray(range.start, range.start + range.count))
    copyBytes(range, buffer, filled)
    filled += range.count
  }
  for (const term of order) {
    const { bytes, starts, lengths } = buckets[bucketOf(term)]!
    const number = numberInBucket(term)
    all[term * 2] = lengths[number * 2]!
    all[term * 2 + 1] = lengths[number * 2 + 1]!
    write({ bytes, start: starts[number]!, count: all[term * 2]! + all[term * 2 + 1]! })
  }
  flush(buffer.subarray(0, filled))
  closeSync(fd)
  return all
}

/** Opens the postings of a run. */
export function runStream({ path, lengths }: Run): PostingStream {
  const { fd } = openRegularFileSync(path)
  const buffer = new Uint8Array(BUFFERED)
  let at = 0
  let end = 0
  let position = 0
  const read = (count: number, into: Uint8Array, offset: number) => {
    for (let done = 0; done < count;) {
      if (at === end) {
        end = readSync(fd, buffer, 0, BUFFERED, position)
        if (end === 0) throw new Error('a file of postings is shorter than it was written')
        position += end
        at = 0
      }
      const part = Math.min(count - done, end - at)
      copyBytes({ bytes: buffer, start: at, count: part }, into, offset + done)
      at += part
      done += part
    }
  }
  return {
    appendTo(into, index) {
      const [postings, positions] = [lengths[index * 2]!, lengths[index * 2 + 1]!]
      read(postings, into.postings, into.postingsEnd)
      read(positions, into.positions, into.positionsEnd)
      into.postingsEnd += postings
      into.positionsEnd += positions
    },
    remove() {
      closeSync(fd)
      rmSync(path, { force: true })
    },
  }
}
