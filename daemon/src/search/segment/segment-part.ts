import type { FileStamp } from '../../files/file-stamp.ts'
import type { NoteFacts } from '../../markdown/note-facts.ts'
import { foldStart } from '../words/filter-terms.ts'
import type { NoteContent } from '../words/note-tokens.ts'
import { ByteList } from './byte-list.ts'
import { NotePostings, type OrderedPostings } from '../postings/note-postings.ts'
import { TERM_NUMBERS } from '../postings/posting-bucket.ts'
import { KIND, PROBLEMS, RECORD } from './segment-format.ts'
import { writeRun, type Run } from './posting-runs.ts'

/** A note with the facts that the daemon remembers besides its words. */
export type NoteFile = NoteContent & Pick<NoteFacts, 'baseline' | 'blob' | 'problem'> & { stamp: FileStamp }

/** The sections of a segment that have an entry for each file, in the order in which a segment has them. */
export const FILE_SECTIONS = ['records', 'paths', 'titles', 'foldedPaths', 'foldedTitles', 'lengths'] as const
export type FileSection = (typeof FILE_SECTIONS)[number]

/**
 * What a part of a vault adds to a segment. Its files are numbered from 0, and its terms are in the order of their
 * bytes: term n has the bytes from `termEnds[n - 1]` to `termEnds[n]`. Made of typed arrays alone, so that threads can
 * pass it on.
 */
export type FinishedPart = {
  files: number
  notes: number
  tokens: number
  sections: Record<FileSection, Uint8Array>
  terms: Uint8Array
  termEnds: Uint32Array
  /** `TERM_NUMBERS` for each term. */
  numbers: Uint32Array
  /** Which pairs of words notes have: see `NotePairs`. */
  pairs: Uint32Array[]
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
    if (this.#postings.bytes >= this.#poolBytes) this.spill()
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
    const path = `${this.#target}.spill-${this.#spills.length}`
    this.#spills.push({ path, lengths: writeRun(path, this.#postings.sort()) })
  }

  /** Ends the part; `rest` are the postings that are still in memory, behind those of the runs. */
  finish(): { part: FinishedPart; rest: OrderedPostings } {
    const { terms } = this.#postings
    const rest = this.#postings.sort()
    const { order } = rest
    const bytes = new ByteList()
    const termEnds = new Uint32Array(order.length)
    const numbers = new Uint32Array(order.length * TERM_NUMBERS)
    for (let index = 0; index < order.length; index++) {
      bytes.append(terms.bytesOf(order[index]!))
      termEnds[index] = bytes.length
      this.#postings.copyNumbers(order[index]!, numbers, index * TERM_NUMBERS)
    }
    const runs = this.#spills.map(({ path, lengths }) => ({ path, lengths: inOrder(lengths, order) }))
    const sections = Object.fromEntries(FILE_SECTIONS.map((name) => [name, this.#lists[name].bytes()]))
    const part = {
      files: this.#files,
      notes: this.#notes,
      tokens: this.#tokens,
      sections: sections as FinishedPart['sections'],
      terms: bytes.bytes(),
      termEnds,
      numbers,
      pairs: this.#postings.pairs.finish(),
      runs,
    }
    return { part, rest }
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

/** Two numbers for each term, in another order. Terms that came later have none. */
function inOrder(lengths: Uint32Array, order: Uint32Array): Uint32Array {
  const ordered = new Uint32Array(order.length * 2)
  for (let index = 0; index < order.length; index++) {
    ordered[index * 2] = lengths[order[index]! * 2] ?? 0
    ordered[index * 2 + 1] = lengths[order[index]! * 2 + 1] ?? 0
  }
  return ordered
}

type FileLists = Record<FileSection, ByteList>
