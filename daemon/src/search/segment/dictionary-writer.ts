import { ByteList } from './byte-list.ts'
import type { TermSizes } from './merged-terms.ts'
import { GROUP, SPAN, spansOf } from './segment-format.ts'

/** Collects the dictionary of a segment, and the total length of its postings, positions and spans. */
export class DictionaryWriter {
  readonly dictionary = new ByteList()
  readonly groups = new ByteList()
  postings = 0
  positions = 0
  spans = 0
  #count = 0
  #before: Uint8Array = new Uint8Array(0)

  /**
   * Adds a term. Terms must be added in the order of their bytes, and the bytes must stay unchanged until the next
   * call.
   */
  add(bytes: Uint8Array, { notes, postings, positions }: TermSizes): void {
    if (this.#count++ % GROUP === 0) this.#beginGroup(bytes)
    const { dictionary } = this
    const shared = sharedStart(this.#before, bytes)
    dictionary.varint(shared)
    dictionary.varint(bytes.length - shared)
    dictionary.append(bytes.subarray(shared))
    dictionary.varint(notes)
    dictionary.varint(postings)
    dictionary.varint(positions)
    this.postings += postings
    this.positions += positions
    this.spans += spansOf(notes) * SPAN.bytes
    this.#before = bytes
  }

  #beginGroup(first: Uint8Array): void {
    for (const start of [this.dictionary.length, this.postings, this.positions, this.spans]) this.groups.float64(start)
    this.groups.varint(first.length)
    this.groups.append(first)
    this.#before = new Uint8Array(0)
  }
}

function sharedStart(a: Uint8Array, b: Uint8Array): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}
