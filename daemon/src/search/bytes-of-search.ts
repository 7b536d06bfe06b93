import { rowsOf, type FoundEntries } from './match-segment.ts'
import type { TermEntry } from './segment/dictionary-terms.ts'
import { BLOCK, pairRowBytes } from './segment/segment-format.ts'
import type { Segment } from './segment/segment.ts'
import type { Query } from './words/query.ts'

const NUMBER = 4
// A note number and a weight.
const PER_NOTE = 2 * NUMBER
// Finding what two lists have in common takes a byte for each note.
const MARK = 1
// Whole blocks are read, and the part that is wanted may begin and end within one.
const READ_MORE = 2 * BLOCK
// The arrays of one slice of work.
const STRIDE_BYTES = 8192 * PER_NOTE

type Wanted = { query: Query; entries: FoundEntries; excluded: FoundEntries }

/** The memory that a search of a segment takes at most, in bytes. */
export function bytesOf({ files }: Pick<Segment, 'files'>, { query, entries, excluded }: Wanted): number {
  const filters = query.filters.length
  // One for the notes found, one for their scores. The postings of a filter take less than its list.
  const lists = 2 + 2 * filters + excluded.length
  const phrases = [...entries, ...excluded]
  const words = new Set(phrases.flatMap(({ terms }) => terms))
  return (
    lists * (files + 1) * (PER_NOTE + MARK) +
    filters * READ_MORE +
    sumOf([...words], (its) => bytesOfNotes(files, its)) +
    sumOf(phrases, ({ phrase, terms }) =>
      terms.length > 1 ? bytesOfPlaces(files, terms) + bytesOfPairs(files, rowsOf(phrase).length) : 0,
    )
  )
}

/** The notes with a word, or with the words of a prefix, and their postings and spans. */
function bytesOfNotes(files: number, entries: readonly TermEntry[]): number {
  const notes =
    Math.min(
      files,
      sumOf(entries, (entry) => entry.notes),
    ) + 1
  const sums = entries.length > 1 ? files : 0
  const read = sumOf(entries, ({ postings, spans }) => postings.length + spans.length) + 2 * READ_MORE
  return read + (notes + sums) * PER_NOTE + files * MARK
}

/** The places of the words of a phrase, and where they begin in the notes that contain all the words. */
function bytesOfPlaces(files: number, terms: readonly (readonly TermEntry[])[]): number {
  const found = Math.min(files, ...terms.map((entries) => sumOf(entries, ({ notes }) => notes)))
  return sumOf([...new Set(terms)], (entries) => {
    const read = sumOf(entries, ({ positions }) => positions.length) + READ_MORE + found * NUMBER
    return entries.length > 1 ? read + bytesOfPrefix(files, entries) : read
  })
}

/** Rows of bits, one for each note. */
const bytesOfPairs = (files: number, rows: number): number => rows * (pairRowBytes(files) + READ_MORE)

/** What finding the places of a prefix takes besides. */
const bytesOfPrefix = (files: number, entries: readonly TermEntry[]): number =>
  sumOf(entries, ({ postings }) => postings.length) + READ_MORE + files * NUMBER + STRIDE_BYTES

const sumOf = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0)
