import type { FileStamp } from '../../files/file-stamp.ts'
import type { NoteFacts } from '../../markdown/note-facts.ts'
import { BlockWriter } from './block-writer.ts'
import { foldStart } from '../words/filter-terms.ts'
import { ByteList } from './byte-list.ts'
import { NotePostings } from './note-postings.ts'
import type { NoteContent } from '../words/note-tokens.ts'
import { GROUP, KIND, PROBLEMS, RECORD } from './segment-format.ts'
import { spill, type SpillFile } from './spill-file.ts'

/** A note with the facts that the daemon remembers besides its words. */
export type NoteFile = NoteContent & Pick<NoteFacts, 'baseline' | 'blob' | 'problem'> & { stamp: FileStamp }

// The bytes of postings in memory before they go to disk. This bounds the memory of a build of any size.
const POOL_BYTES = 96 * 1024 * 1024
const MAX_TITLE = 1000

/** Builds one segment. Files are added in the order of the bytes of their paths. */
export class SegmentBuilder {
  readonly #target: string
  readonly #poolBytes: number
  readonly #postings = new NotePostings()
  readonly #spills: SpillFile[] = []
  readonly #records = new ByteList()
  readonly #paths = new ByteList()
  readonly #titles = new ByteList()
  readonly #foldedPaths = new ByteList()
  readonly #foldedTitles = new ByteList()
  readonly #lengths = new ByteList()
  #files = 0
  #notes = 0
  #tokens = 0

  constructor(target: string, poolBytes = POOL_BYTES) {
    this.#target = target
    this.#poolBytes = poolBytes
  }

  addNote(note: NoteFile): void {
    const title = note.title.slice(0, MAX_TITLE)
    const number = this.#addRecord({
      path: note.path,
      title,
      stamp: note.stamp,
      kind: KIND.note | (PROBLEMS.indexOf(note.problem) << 8),
    })
    this.#records.setHex(number * RECORD.bytes + RECORD.baseline, note.baseline)
    this.#records.setHex(number * RECORD.bytes + RECORD.blob, note.blob)
    const tokens = this.#postings.add(number, note)
    this.#lengths.uint32(Math.max(1, tokens))
    this.#foldedPaths.text(`${foldStart(note.path)}\0`)
    this.#foldedTitles.text(`${foldStart(title)}\0`)
    this.#notes++
    this.#tokens += tokens
    if (this.#postings.pool.bytes >= this.#poolBytes) this.#spill()
  }

  /** Adds a file that is no note: it is remembered, so that the next start knows it, but never found. */
  addAttachment(path: string, stamp: FileStamp): void {
    this.#addRecord({ path, title: '', stamp, kind: KIND.attachment })
    this.#lengths.uint32(0)
    this.#foldedPaths.text('\0')
    this.#foldedTitles.text('\0')
  }

  /** Writes the segment, synced, under the name it was given. The caller renames it into place. */
  write(): void {
    const order = this.#postings.terms.sorted()
    const writer = new BlockWriter(this.#target)
    writer.whole('records', this.#records.bytes())
    writer.whole('paths', this.#paths.bytes())
    writer.whole('titles', this.#titles.bytes())
    writer.whole('foldedPaths', this.#foldedPaths.bytes())
    writer.whole('foldedTitles', this.#foldedTitles.bytes())
    writer.whole('lengths', this.#lengths.bytes())
    const { dictionary, groups, ...lengths } = this.#dictionary(order)
    writer.whole('dictionary', dictionary)
    writer.whole('groups', groups)

    const postings = writer.section('postings', lengths.postings)
    const positions = writer.section('positions', lengths.positions)
    let mixed = new Uint8Array(1 << 16)
    let split = { postings: new Uint8Array(1 << 16), positions: new Uint8Array(1 << 16) }
    for (const term of order) {
      const sizes = this.#postings.sizesOf(term)
      const length = sizes.postings + sizes.positions
      if (length > mixed.length) {
        mixed = new Uint8Array(length * 2)
        split = { postings: new Uint8Array(length * 2), positions: new Uint8Array(length * 2) }
      }
      this.#gather(term, mixed)
      separate(mixed, length, split)
      postings.write(split.postings, sizes.postings)
      positions.write(split.positions, sizes.positions)
    }
    postings.end()
    positions.end()
    writer.finish({ files: this.#files, notes: this.#notes, tokens: this.#tokens })
    for (const file of this.#spills) file.remove()
  }

  #addRecord({ path, title, stamp, kind }: { path: string; title: string; stamp: FileStamp; kind: number }): number {
    const at = this.#files * RECORD.bytes
    this.#records.zeros(RECORD.bytes)
    this.#paths.text(path)
    this.#titles.text(title)
    const record = this.#records.view(at, RECORD.bytes)
    record.setFloat64(RECORD.size, stamp.size, true)
    record.setFloat64(RECORD.mtimeMs, stamp.mtimeMs, true)
    record.setFloat64(RECORD.ctimeMs, stamp.ctimeMs, true)
    record.setFloat64(RECORD.ino, stamp.ino, true)
    record.setUint32(RECORD.pathEnd, this.#paths.length, true)
    record.setUint32(RECORD.titleEnd, this.#titles.length, true)
    record.setUint32(RECORD.kind, kind, true)
    return this.#files++
  }

  #spill(): void {
    const { pool, terms } = this.#postings
    this.#spills.push(spill(`${this.#target}.spill-${this.#spills.length}`, pool, terms.sorted()))
    pool.clear()
  }

  #gather(term: number, into: Uint8Array): void {
    let at = 0
    for (const file of this.#spills) {
      const length = file.lengthOf(term)
      file.read(into, at, length)
      at += length
    }
    this.#postings.pool.copy(term, into, at)
  }

  /** The dictionary, and how long all postings and positions are. */
  #dictionary(order: Uint32Array) {
    const dictionary = new ByteList()
    const groups = new ByteList()
    let postings = 0
    let positions = 0
    let before: Uint8Array = new Uint8Array(0)
    for (const [index, term] of order.entries()) {
      const bytes = this.#postings.terms.bytesOf(term)
      const sizes = this.#postings.sizesOf(term)
      if (index % GROUP === 0) {
        groups.float64(dictionary.length)
        groups.float64(postings)
        groups.float64(positions)
        groups.varint(bytes.length)
        groups.append(bytes)
        before = new Uint8Array(0)
      }
      const shared = sharedStart(before, bytes)
      for (const number of [shared, bytes.length - shared]) dictionary.varint(number)
      dictionary.append(bytes.subarray(shared))
      for (const number of [sizes.notes, sizes.postings, sizes.positions]) dictionary.varint(number)
      postings += sizes.postings
      positions += sizes.positions
      before = bytes
    }
    return { dictionary: dictionary.bytes(), groups: groups.bytes(), postings, positions }
  }
}

/** Separates postings and positions. Copies in a loop, since most are only a few bytes. */
function separate(
  mixed: Uint8Array,
  length: number,
  { postings, positions }: { postings: Uint8Array; positions: Uint8Array },
): void {
  let posting = 0
  let position = 0
  for (let at = 0; at < length;) {
    for (let numbers = 0; numbers < 2; numbers++) {
      while (mixed[at]! >= 128) postings[posting++] = mixed[at++]!
      postings[posting++] = mixed[at++]!
    }
    let count = 0
    let scale = 1
    while (mixed[at]! >= 128) {
      count += (mixed[at]! & 127) * scale
      scale *= 128
      positions[position++] = mixed[at++]!
    }
    count += mixed[at]! * scale
    positions[position++] = mixed[at++]!
    for (const end = at + count; at < end;) positions[position++] = mixed[at++]!
  }
}

function sharedStart(a: Uint8Array, b: Uint8Array): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}
