import { grown } from './grown.ts'
import { FIRST_BYTES, HASH, HIGH, LOW, REST, SIZE, TERM_ROOM, WORD_NUMBERS, type NoteWords } from './note-words.ts'

// Numbers of a slot: twice the id + 1 (0: free), one more for a word of more than eight bytes; the hash; and the first
// eight bytes as two numbers. The lookup of a short word needs only the slot, and most words are short: building an
// index waits mainly for misses of the processor's cache.
const ID = 0
const ITS_HASH = 1
const ITS_LOW = 2
const ITS_HIGH = 3
const SLOT = 4
// Up to so many terms, four bytes of a term and its number fit a float; three bytes and any number do.
const FOUR_BYTES = 2 ** 21
// So few terms are compared with one another.
const FEW = 8

/** Gives each distinct term a number, counted from 0. Terms are kept as bytes: no string per term, no object either. */
export class TermTable {
  count = 0
  /** Written so that V8 does not leave out reads whose result nobody uses. */
  touched = 0
  #slots = new Int32Array((1 << 16) * SLOT)
  #mask = (1 << 16) - 1
  // Term n has the bytes from #ends[n] to #ends[n + 1].
  #ends = new Uint32Array((1 << 15) + 1)
  #bytes = new Uint8Array(1 << 18)

  /** The numbers of the words of a note, in their order. */
  idsOf(words: NoteWords, into: Uint32Array): void {
    this.#touch(words)
    for (let index = 0; index < words.count; index++) into[index] = this.#idOf(words, index * WORD_NUMBERS)
  }

  /** The bytes of a term; valid until the next term is added. */
  bytesOf(id: number): Uint8Array {
    return this.#bytes.subarray(this.#ends[id], this.#ends[id + 1])
  }

  /** All terms in the order of their bytes. */
  sorted(): Uint32Array {
    const order = Uint32Array.from({ length: this.count }, (_, id) => id)
    this.#sort(order, 0)
    return order
  }

  /**
   * Sorts terms that are equal up to an offset. Numbers made of their next bytes and the term are sorted without a call
   * per comparison; terms with equal ones are sorted by the bytes after that.
   */
  #sort(order: Uint32Array, offset: number): void {
    if (order.length < FEW || offset > TERM_ROOM) {
      order.sort((a, b) => Buffer.compare(this.bytesOf(a), this.bytesOf(b)))
      return
    }
    const terms = 2 ** Math.ceil(Math.log2(Math.max(2, this.count)))
    const bytes = terms <= FOUR_BYTES ? 4 : 3
    const keys = new Float64Array(order.length)
    for (let index = 0; index < order.length; index++)
      keys[index] = this.#partOf(order[index]!, offset, bytes) * terms + order[index]!
    keys.sort()
    for (let index = 0; index < order.length; index++) order[index] = keys[index]! % terms
    for (let start = 0; start < order.length;) {
      const first = Math.floor(keys[start]! / terms)
      let end = start + 1
      while (end < order.length && Math.floor(keys[end]! / terms) === first) end++
      if (end - start > 1) this.#sort(order.subarray(start, end), offset + bytes)
      start = end
    }
  }

  /** Bytes of a term from an offset on as a number; zeros follow a shorter one. */
  #partOf(id: number, offset: number, count: number): number {
    const start = this.#ends[id]! + offset
    const end = this.#ends[id + 1]!
    let key = 0
    for (let index = start; index < start + count; index++) key = key * 256 + (index < end ? this.#bytes[index]! : 0)
    return key
  }

  /**
   * Reads the slots that the lookups of all words begin with. The processor waits for many of these reads at once;
   * between comparisons it would wait for one after the other.
   */
  #touch({ count, numbers }: NoteWords): void {
    const [slots, mask] = [this.#slots, this.#mask]
    let read = 0
    for (let word = HASH; word < count * WORD_NUMBERS; word += WORD_NUMBERS)
      read ^= slots[(numbers[word]! & mask) * SLOT]!
    this.touched = read
  }

  #idOf(words: NoteWords, word: number): number {
    const { numbers } = words
    const [slots, mask] = [this.#slots, this.#mask]
    const hash = numbers[word + HASH]!
    const low = numbers[word + LOW]!
    const high = numbers[word + HIGH]!
    const size = numbers[word + SIZE]!
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const at = slot * SLOT
      const named = slots[at]!
      if (named === 0) return this.#add(at, words, word)
      if (slots[at + ITS_HASH] !== hash || slots[at + ITS_LOW] !== low || slots[at + ITS_HIGH] !== high) continue
      const id = (named >> 1) - 1
      // Two words of up to eight bytes with the same hash are also of the same length.
      if (named === (id + 1) << 1 && size <= FIRST_BYTES) return id
      if (this.#isWord(id, words, word)) return id
    }
  }

  #isWord(id: number, { numbers, bytes }: NoteWords, word: number): boolean {
    const start = this.#ends[id]!
    const size = numbers[word + SIZE]!
    if (this.#ends[id + 1]! - start !== size) return false
    const from = numbers[word + REST]! - FIRST_BYTES
    for (let index = FIRST_BYTES; index < size; index++)
      if (this.#bytes[start + index] !== bytes[from + index]) return false
    return true
  }

  #add(at: number, { numbers, bytes }: NoteWords, word: number): number {
    const id = this.count++
    const start = this.#ends[id]!
    const size = numbers[word + SIZE]!
    while (start + size > this.#bytes.length) this.#bytes = grown(this.#bytes, Uint8Array)
    for (let index = 0; index < Math.min(size, FIRST_BYTES); index++)
      this.#bytes[start + index] = numbers[word + (index < 4 ? LOW : HIGH)]! >>> ((index & 3) * 8)
    const rest = numbers[word + REST]!
    if (size > FIRST_BYTES) this.#bytes.set(bytes.subarray(rest, rest + size - FIRST_BYTES), start + FIRST_BYTES)
    if (id + 2 > this.#ends.length - 1) this.#ends = grown(this.#ends, Uint32Array)
    this.#ends[id + 1] = start + size
    this.#slots[at + ID] = ((id + 1) << 1) | Number(size > FIRST_BYTES)
    this.#slots[at + ITS_HASH] = numbers[word + HASH]!
    this.#slots[at + ITS_LOW] = numbers[word + LOW]!
    this.#slots[at + ITS_HIGH] = numbers[word + HIGH]!
    if (this.count * 2 > this.#mask) this.#rehash()
    return id
  }

  #rehash(): void {
    const before = this.#slots
    this.#slots = new Int32Array(before.length * 2)
    this.#mask = this.#mask * 2 + 1
    for (let from = 0; from < before.length; from += SLOT) {
      if (before[from] === 0) continue
      let slot = before[from + ITS_HASH]! & this.#mask
      while (this.#slots[slot * SLOT] !== 0) slot = (slot + 1) & this.#mask
      this.#slots.set(before.subarray(from, from + SLOT), slot * SLOT)
    }
  }
}
