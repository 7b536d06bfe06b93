import { VarintReader } from './varint.ts'

/** Where each group of the dictionary begins, with its first term. */
export type Groups = {
  dictionary: Float64Array
  postings: Float64Array
  positions: Float64Array
  spans: Float64Array
  /** The last group that begins at or before a term, or -1. */
  lastAtOrBefore(term: Buffer): number
}

/**
 * Reads the groups of a segment. First terms stay bytes, not strings: a vault of 100,000 notes has some 8,000 groups.
 */
export function readGroups(bytes: Buffer): Groups {
  const dictionary: number[] = []
  const postings: number[] = []
  const positions: number[] = []
  const spans: number[] = []
  const starts: number[] = []
  const ends: number[] = []
  const reader = new VarintReader(bytes, 0)
  while (reader.at < bytes.length) {
    dictionary.push(bytes.readDoubleLE(reader.at))
    postings.push(bytes.readDoubleLE(reader.at + 8))
    positions.push(bytes.readDoubleLE(reader.at + 16))
    spans.push(bytes.readDoubleLE(reader.at + 24))
    reader.at += 32
    const length = reader.next()
    starts.push(reader.at)
    reader.at += length
    ends.push(reader.at)
  }

  return {
    dictionary: Float64Array.from(dictionary),
    postings: Float64Array.from(postings),
    positions: Float64Array.from(positions),
    spans: Float64Array.from(spans),
    lastAtOrBefore(term) {
      let low = 0
      let high = starts.length
      while (low < high) {
        const middle = (low + high) >>> 1
        if (bytes.compare(term, 0, term.length, starts[middle], ends[middle]) <= 0) low = middle + 1
        else high = middle
      }
      return low - 1
    },
  }
}
