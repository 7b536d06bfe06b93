import type { NoteProblem } from '@svc/shared/wire/daemon/daemon.api.ts'

/**
 * A segment is one file: a header block, then sections that begin at block boundaries, then one CRC-32 per block. All
 * numbers are little-endian. A segment never changes once it has its name. A segment of another format version is not
 * used; the index is rebuilt.
 */
export const MAGIC = 0x53435653
export const FORMAT_VERSION = 3
export const BLOCK = 8192

/** The sections in the order of the header's table. */
export const SECTIONS = [
  // Per file, sorted by the bytes of its path: see RECORD.
  'records',
  // Paths and titles of all files, UTF-8, one after the other.
  'paths',
  'titles',
  // Folded paths and titles, each followed by a NUL: the filters path: and title: search in them.
  'foldedPaths',
  'foldedTitles',
  // Per file the number of its tokens; 0 for a file that is not a note.
  'lengths',
  // Terms in groups of GROUP: front-coded, with the sizes of their postings and positions.
  'dictionary',
  // Per group its first term, and where it begins in the dictionary, the postings, the positions and the spans.
  'groups',
  'postings',
  'positions',
  // Per term with many notes the spans of its postings: see SPAN.
  'spans',
  // Rows of bits, for pairs of words that follow each other: in the row of a pair, bit n says whether note n may have it.
  // See pair-rows.ts for the row of a pair, which other pairs share.
  'pairs',
] as const

export type SectionName = (typeof SECTIONS)[number]
export type Section = { offset: number; length: number }

/** Terms per group of the dictionary: a lookup reads and scans one group. */
export const GROUP = 32

/**
 * A part of a long list of postings: the number of its last note, where its bytes end, and the best score that the term
 * gives to one of its notes if the term were alone in the query and had a rarity of 1.
 */
export const SPAN = { postings: 128, last: 0, end: 4, best: 8, bytes: 12 } as const

// Shorter lists are decoded as a whole, which is faster than comparing spans.
const LONG_LIST = 1024

/** The number of spans that the postings of a term have: 0 for short lists. */
export const spansOf = (notes: number): number => (notes < LONG_LIST ? 0 : Math.ceil(notes / SPAN.postings))

/** The bytes of a row of pairs: whole numbers of 32 bits, one bit for each file. */
export const pairRowBytes = (files: number): number => Math.ceil(files / 32) * 4

/** The size of a record and the offsets of its fields. */
export const RECORD = {
  size: 0,
  mtimeMs: 8,
  ctimeMs: 16,
  ino: 24,
  pathEnd: 32,
  titleEnd: 36,
  kind: 40,
  baseline: 44,
  blob: 56,
  bytes: 80,
} as const

/** Kinds of files in a record, in the lowest byte of the field. */
export const KIND = { attachment: 0, note: 1 } as const

/** The number of the reason why a note could not be parsed, stored above the kind of file. 0 for a parsed note. */
export const PROBLEMS = [
  undefined,
  'too_long',
  'too_deep',
  'too_many_keys',
  'too_many_aliases',
  'key_not_scalar',
  'value_too_large',
  'invalid',
  'took_too_long',
] as const satisfies readonly (NoteProblem | undefined)[]

/** Fields of the header before its table of sections. */
export const HEADER = {
  magic: 0,
  version: 4,
  crc: 8,
  files: 12,
  notes: 16,
  tokens: 24,
  crcTable: 32,
  table: 40,
} as const

export const HEADER_BYTES = HEADER.table + SECTIONS.length * 16

/** The segment cannot be used: damaged, truncated, or of another version. The index is rebuilt. */
export class SegmentUnusable extends Error {}
