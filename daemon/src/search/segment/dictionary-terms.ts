import type { Groups } from './dictionary-groups.ts'
import { SPAN, spansOf } from './segment-format.ts'
import { VarintReader } from './varint.ts'

/** The postings of one term: of how many notes, and where they lie. */
export type TermEntry = {
  notes: number
  /** True for the term that was asked for itself, false for a longer one that begins with it. */
  whole: boolean
  postings: { offset: number; length: number }
  positions: { offset: number; length: number }
  /** Empty when the notes are few. */
  spans: { offset: number; length: number }
}

/** Bytes of the dictionary, where in it they begin, and with which group. */
type Place = { bytes: Uint8Array; start: number; groups: Groups; from: number }

/** The terms in a part of the dictionary that begin with the given bytes. Terms are compared where they lie: most do not match. */
export function termsWith(wanted: Uint8Array, { bytes, start, groups, from }: Place): TermEntry[] {
  const entries: TermEntry[] = []
  const reader = new VarintReader(bytes, 0)
  let group = from
  let postings = 0
  let positions = 0
  let spans = 0
  // How many bytes of the term are those that are wanted.
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
    // Where more is shared than was common, the term differs from what is wanted where the one before did.
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
