import type { Groups } from './dictionary-groups.ts'
import { SPAN, spansOf } from './segment-format.ts'
import { VarintReader } from './varint.ts'

/** The postings of one term: the number of its notes, and where the postings are. */
export type TermEntry = {
  notes: number
  /** True for the requested term itself, false for a longer one that begins with it. */
  whole: boolean
  postings: { offset: number; length: number }
  positions: { offset: number; length: number }
  /** Empty if the term has few notes. */
  spans: { offset: number; length: number }
}

/** Bytes of the dictionary, where in it they begin, and at which group. */
type Place = { bytes: Uint8Array; start: number; groups: Groups; from: number }

/**
 * The terms in a part of the dictionary that begin with the given bytes. Terms are compared in place, without a copy:
 * most do not match.
 */
export function termsWith(wanted: Uint8Array, { bytes, start, groups, from }: Place): TermEntry[] {
  const entries: TermEntry[] = []
  const reader = new VarintReader(bytes, 0)
  let group = from
  let postings = 0
  let positions = 0
  let spans = 0
  // The number of bytes that the present term has in common with the wanted ones.
  let common = 0
  while (reader.at < bytes.length) {
    if (reader.at + start === groups.dictionary[group]) {
      postings = groups.postings[group]!
      positions = groups.positions[group]!
      spans = groups.spans[group]!
      group++
    }
    const shared = reader.next()
    const own = reader.next()
    const { at } = reader
    // If a term shares more bytes with the previous term than that had in common with the wanted bytes, it differs from
    // them at the same byte as the previous term.
    if (shared <= common)
      for (common = shared; common < wanted.length && common < shared + own; common++)
        if (bytes[at + common - shared] !== wanted[common]) break
    reader.at += own
    const notes = reader.next()
    const postingBytes = reader.next()
    const positionBytes = reader.next()
    const spanBytes = spansOf(notes) * SPAN.bytes
    if (common === wanted.length)
      entries.push({
        notes,
        whole: shared + own === wanted.length,
        postings: { offset: postings, length: postingBytes },
        positions: { offset: positions, length: positionBytes },
        spans: { offset: spans, length: spanBytes },
      })
    postings += postingBytes
    positions += positionBytes
    spans += spanBytes
  }
  return entries
}
