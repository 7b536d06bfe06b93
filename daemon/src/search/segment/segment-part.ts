import type { FileStamp } from '../../files/file-stamp.ts'
import type { NoteFacts } from '../../markdown/note-facts.ts'
import { foldStart } from '../words/filter-terms.ts'
import type { NoteContent } from '../words/note-tokens.ts'
import { ByteList } from './byte-list.ts'
import { NotePostings } from '../postings/note-postings.ts'
import { KIND, PROBLEMS, RECORD } from './segment-format.ts'
import { writeRun, type OrderedStreams, type Run } from './term-streams.ts'

/** A note with the facts that the daemon remembers besides its words. */
export type NoteFile = NoteContent & Pick<NoteFacts, 'baseline' | 'blob' | 'problem'> & { stamp: FileStamp }

/** The sections of a segment that have an entry for each file, in the order in which a segment has them. */
export const FILE_SECTIONS = ['records', 'paths', 'titles', 'foldedPaths', 'foldedTitles', 'lengths'] as const
export type FileSection = (typeof FILE_SECTIONS)[number]

/** Numbers that are kept for each term: in how many notes it is, its bytes, and the first and last of its notes. */
export const TERM_SIZES = 5

/**
 * What a part of a vault adds to a segment. Its files are numbered from 0, and its terms are in the order of their bytes:
 * term n has the bytes from `termEnds[n - 1]` to `termEnds[n]`. Made of typed arrays alone, so that threads can pass it on.
 */
export type FinishedPart = {
  files: number
  notes: number
  tokens: number
  sections: Record<FileSection, Uint8Array>
  terms: Uint8Array
  termEnds: Uint32Array
  sizes: Uint32Array
  /** Postings that went to disk, in order. */
  runs: Run[]
}

const MAX_TITLE = 1000

/** Collects a part of the files of a vault. They are added in the order of the bytes of their paths. */
export class SegmentPart {
  readonly #target: string
  readonly #poolBytes: number
  readonly #postings = new NotePostings()
  readonly #spills: { path: string; lengths: Uint32Array }[] = []
  readonly #lists = Object.fromEntries(FILE_SECTIONS.map((name) => [name, new ByteList()])) as FileLists
  #files = 0
  #notes = 0
  #tokens = 0

  /** `target` is where files are made for what the memory of `poolBytes` cannot hold; their names begin with it. */
  constructor({ target, poolBytes }: { target: string; poolBytes: number }) {
    this.#target = target
    this.#poolBytes = poolBytes
  }

  addNote(note: NoteFile): void {
    const title = note.title.slice(0, MAX_TITLE)
    const kind = KIND.note | (PROBLEMS.indexOf(note.problem) << 8)
    const number = this.#addRecord({ path: note.path, title, stamp: note.stamp, kind })
    const { records, foldedPaths, foldedTitles, lengths } = this.#lists
    records.setHex(number * RECORD.bytes + RECORD.baseline, note.baseline)
    records.setHex(number * RECORD.bytes + RECORD.blob, note.blob)
    const tokens = this.#postings.add(number, note)
    lengths.uint32(Math.max(1, tokens))
    foldedPaths.text(`${foldStart(note.path)}\0`)
    foldedTitles.text(`${foldStart(title)}\0`)
    this.#notes++
    this.#tokens += tokens
    if (this.#postings.pool.bytes >= this.#poolBytes) this.spill()
  }

  /** Adds a file that is no note: it is remembered, so that the next start knows it, but never found. */
  addAttachment(path: string, stamp: FileStamp): void {
    this.#addRecord({ path, title: '', stamp, kind: KIND.attachment })
    const { foldedPaths, foldedTitles, lengths } = this.#lists
    lengths.uint32(0)
    foldedPaths.text('\0')
    foldedTitles.text('\0')
  }

  /** Writes the postings that are in memory to a file. */
  spill(): void {
    const { pool, terms } = this.#postings
    const path = `${this.#target}.spill-${this.#spills.length}`
    this.#spills.push({ path, lengths: writeRun(path, { ...pool.streams(), order: terms.sorted() }) })
    pool.clear()
  }

  /** Ends the part; `rest` are the postings that are still in memory, behind those of the runs. */
  finish(): { part: FinishedPart; rest: OrderedStreams } {
    const { terms, pool } = this.#postings
    const order = terms.sorted()
    const bytes = new ByteList()
    const termEnds = new Uint32Array(order.length)
    const sizes = new Uint32Array(order.length * TERM_SIZES)
    for (const [index, term] of order.entries()) {
      bytes.append(terms.bytesOf(term))
      termEnds[index] = bytes.length
      this.#postings.copySizes(term, sizes, index * TERM_SIZES)
    }
    const runs = this.#spills.map(({ path, lengths }) => ({
      path,
      lengths: Uint32Array.from(order, (term) => lengths[term] ?? 0),
    }))
    const sections = Object.fromEntries(FILE_SECTIONS.map((name) => [name, this.#lists[name].bytes()]))
    const part = {
      files: this.#files,
      notes: this.#notes,
      tokens: this.#tokens,
      sections: sections as FinishedPart['sections'],
      terms: bytes.bytes(),
      termEnds,
      sizes,
      runs,
    }
    return { part, rest: { ...pool.streams(), order } }
  }

  #addRecord({ path, title, stamp, kind }: { path: string; title: string; stamp: FileStamp; kind: number }): number {
    const { records, paths, titles } = this.#lists
    const at = this.#files * RECORD.bytes
    records.zeros(RECORD.bytes)
    paths.text(path)
    titles.text(title)
    const record = records.view(at, RECORD.bytes)
    record.setFloat64(RECORD.size, stamp.size, true)
    record.setFloat64(RECORD.mtimeMs, stamp.mtimeMs, true)
    record.setFloat64(RECORD.ctimeMs, stamp.ctimeMs, true)
    record.setFloat64(RECORD.ino, stamp.ino, true)
    record.setUint32(RECORD.pathEnd, paths.length, true)
    record.setUint32(RECORD.titleEnd, titles.length, true)
    record.setUint32(RECORD.kind, kind, true)
    return this.#files++
  }
}

type FileLists = Record<FileSection, ByteList>
