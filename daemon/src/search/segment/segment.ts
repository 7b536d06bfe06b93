import { openBlockFile, type BlockFile } from './block-file.ts'
import { readGroups, type Groups } from './dictionary-groups.ts'
import { termsWith, type TermEntry } from './dictionary-terms.ts'
import { pairRowBytes, SegmentUnusable, type SectionName } from './segment-format.ts'
import type { WorkMemory } from '../work-memory.ts'

/**
 * An open segment: the notes as they were when it was built. Only lengths and the start of each group are in memory.
 */
export type Segment = {
  files: number
  notes: number
  tokens: number
  /** Per file its number of tokens; 0 for a file that is not a note. */
  lengths: Uint32Array
  /** The entry of the term, or of all terms that begin with it, in order: their postings are adjacent. */
  find(term: string, kind: 'exact' | 'prefix'): Promise<TermEntry[]>
  /** The postings, positions or spans of terms that `find` returned. */
  read(name: 'postings' | 'positions' | 'spans', entries: readonly TermEntry[], memory: WorkMemory): Promise<Uint8Array>
  /** A row of pairs: by note number a bit, 0 for notes in which no pair of this row occurs. See `rowOfTerms`. */
  pairs(row: number, memory: WorkMemory): Promise<Uint8Array>
  /** A whole section, for callers that need every file. */
  section(name: SectionName): Promise<Buffer>
  close(): Promise<void>
}

/** Opens a segment; throws `SegmentUnusable` when it is damaged or of another version. */
export async function openSegment(path: string): Promise<Segment> {
  const file = await openBlockFile(path)
  try {
    const section = (name: SectionName) => file.read(name, 0, file.sections[name].length)
    const [lengthBytes, groupBytes] = await Promise.all([section('lengths'), section('groups')])
    if (lengthBytes.length !== file.files * 4) throw new SegmentUnusable('the lengths do not fit the files')
    return segmentOf(file, { lengths: toNumbers(lengthBytes), groups: readGroups(groupBytes) })
  } catch (error) {
    await file.close()
    throw error
  }
}

function segmentOf(file: BlockFile, { lengths, groups }: { lengths: Uint32Array; groups: Groups }): Segment {
  return {
    files: file.files,
    notes: file.notes,
    tokens: file.tokens,
    lengths,

    async find(term, kind) {
      const wanted = Buffer.from(term)
      const first = groups.lastAtOrBefore(wanted)
      // No byte of UTF-8 is 255, so this sorts after everything that begins with the term.
      const last = kind === 'exact' ? first : groups.lastAtOrBefore(Buffer.concat([wanted, Buffer.from([255])]))
      if (last === -1) return []
      const from = Math.max(0, first)
      const start = groups.dictionary[from]!
      const end = groups.dictionary[last + 1] ?? file.sections.dictionary.length
      const bytes = await file.read('dictionary', start, end - start)
      return termsWith(wanted, { bytes, start, groups, from }).filter(({ whole }) => whole || kind === 'prefix')
    },

    async read(name, entries, memory) {
      const first = entries[0]
      const last = entries.at(-1)
      if (!first || !last) return new Uint8Array(0)
      const length = last[name].offset + last[name].length - first[name].offset
      return file.read(name, first[name].offset, length, memory)
    },

    pairs(row, memory) {
      const bytes = pairRowBytes(file.files)
      return file.read('pairs', row * bytes, bytes, memory)
    },

    section: (name) => file.read(name, 0, file.sections[name].length),

    close: () => file.close(),
  }
}

/** The numbers of a section. Sections begin at block boundaries, so they are aligned. */
const toNumbers = (bytes: Buffer): Uint32Array => new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
