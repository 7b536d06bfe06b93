import { MAX_TERM } from '../words/tokens.ts'

/** No word begins here. */
export const NO_WORD = -1
/** A character beyond ASCII is here or ends the word that begins here. */
export const NOT_ASCII = -2

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

// Numbers of a slot: id + 1 (0: free), hash, and the first eight bytes as two numbers. A look at a short word, and most
// words are short, needs nothing but the slot: misses of the processor's cache are what building an index waits for.
const ID = 0
const HASH = 1
const LOW = 2
const HIGH = 3
const SLOT = 4
const IN_SLOT = 8
// Up to so many terms, the first four bytes of a term and its number fit a float; three bytes and any number do.
const FOUR_BYTES = 2 ** 21

// What each character of ASCII is within a word, its case folded; 0 for those that end one.
const FOLDED = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase()
  return /\w/.test(character) ? character.charCodeAt(0) : 0
})

/** Gives each distinct term a number, counted from 0. Terms are kept as bytes: no string per term, no object either. */
export class TermTable {
  count = 0
  /** Where the last word ended that was looked up in a text. */
  wordEnd = 0
  #slots = new Int32Array((1 << 16) * SLOT)
  #mask = (1 << 16) - 1
  // Term n has the bytes from #ends[n] to #ends[n + 1].
  #ends = new Uint32Array((1 << 15) + 1)
  #bytes = new Uint8Array(1 << 18)
  readonly #scratch = new Uint8Array(4096)
  readonly #encoder = new TextEncoder()

  /**
   * The number of the ASCII word that begins at an offset of a text of that length: NO_WORD where none begins, and
   * NOT_ASCII where a character beyond ASCII follows and may belong to it. Case is folded here. One loop reads, folds and
   * hashes: it runs for each character of a vault.
   */
  wordAt(units: Uint16Array, start: number, length: number): number {
    const scratch = this.#scratch
    let hash = FNV_OFFSET
    let low = 0
    let high = 0
    let size = 0
    let at = start
    for (; at < length; at++) {
      const code = units[at]!
      if (code >= 128) return NOT_ASCII
      const letter = FOLDED[code]!
      if (letter === 0) break
      if (size === MAX_TERM) continue
      hash = Math.imul(hash ^ letter, FNV_PRIME)
      if (size < 4) low |= letter << (size * 8)
      else if (size < IN_SLOT) high |= letter << (size * 8 - 32)
      scratch[size++] = letter
    }
    this.wordEnd = at
    if (size === 0) return NO_WORD
    return this.#idOf(size, hash, low, high)
  }

  /** The number of a folded term. */
  term(term: string): number {
    const scratch = this.#scratch
    const { written } = this.#encoder.encodeInto(term, scratch)
    let hash = FNV_OFFSET
    for (let index = 0; index < written; index++) hash = Math.imul(hash ^ scratch[index]!, FNV_PRIME)
    scratch.fill(0, written, IN_SLOT)
    const low = scratch[0]! | (scratch[1]! << 8) | (scratch[2]! << 16) | (scratch[3]! << 24)
    const high = scratch[4]! | (scratch[5]! << 8) | (scratch[6]! << 16) | (scratch[7]! << 24)
    return this.#idOf(written, hash, low, high)
  }

  /** The bytes of a term; valid until the next term is added. */
  bytesOf(id: number): Uint8Array {
    return this.#bytes.subarray(this.#ends[id], this.#ends[id + 1])
  }

  /**
   * All terms in the order of their bytes. Numbers made of the first bytes and the term are sorted without a call per
   * comparison; only terms with equal first bytes are compared.
   */
  sorted(): Uint32Array {
    const terms = 2 ** Math.ceil(Math.log2(Math.max(2, this.count)))
    const bytes = terms <= FOUR_BYTES ? 4 : 3
    const keys = Float64Array.from({ length: this.count }, (_, id) => this.#startOf(id, bytes) * terms + id).sort()
    const order = Uint32Array.from(keys, (key) => key % terms)
    for (let start = 0; start < order.length;) {
      const first = Math.floor(keys[start]! / terms)
      let end = start + 1
      while (end < order.length && Math.floor(keys[end]! / terms) === first) end++
      if (end - start > 1) order.subarray(start, end).sort((a, b) => Buffer.compare(this.bytesOf(a), this.bytesOf(b)))
      start = end
    }
    return order
  }

  /** The first bytes of a term as a number; zeros follow a shorter one. */
  #startOf(id: number, count: number): number {
    const start = this.#ends[id]!
    const end = this.#ends[id + 1]!
    let key = 0
    for (let index = start; index < start + count; index++) key = key * 256 + (index < end ? this.#bytes[index]! : 0)
    return key
  }

  /** The number of the term in the scratch bytes. `low` and `high`: its first eight; no term holds a zero. */
  #idOf(length: number, hash: number, low: number, high: number): number {
    const slots = this.#slots
    for (let slot = (hash ^ (hash >>> 15)) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = slot * SLOT
      const id = slots[at]! - 1
      if (id === -1) return this.#add(at, { length, hash, low, high })
      if (slots[at + HASH] !== hash || slots[at + LOW] !== low || slots[at + HIGH] !== high) continue
      if (length < IN_SLOT || this.#isScratch(id, length)) return id
    }
  }

  #isScratch(id: number, length: number): boolean {
    const start = this.#ends[id]!
    if (this.#ends[id + 1]! - start !== length) return false
    for (let index = IN_SLOT; index < length; index++)
      if (this.#bytes[start + index] !== this.#scratch[index]) return false
    return true
  }

  #add(at: number, { length, hash, low, high }: { length: number; hash: number; low: number; high: number }): number {
    const id = this.count++
    const start = this.#ends[id]!
    while (start + length > this.#bytes.length) this.#bytes = grown(this.#bytes, Uint8Array)
    this.#bytes.set(this.#scratch.subarray(0, length), start)
    if (id + 2 > this.#ends.length - 1) this.#ends = grown(this.#ends, Uint32Array)
    this.#ends[id + 1] = start + length
    this.#slots[at + ID] = id + 1
    this.#slots[at + HASH] = hash
    this.#slots[at + LOW] = low
    this.#slots[at + HIGH] = high
    if (this.count * 2 > this.#mask) this.#rehash()
    return id
  }

  #rehash(): void {
    const before = this.#slots
    this.#slots = new Int32Array(before.length * 2)
    this.#mask = this.#mask * 2 + 1
    for (let from = 0; from < before.length; from += SLOT) {
      if (before[from] === 0) continue
      const hash = before[from + HASH]!
      let slot = (hash ^ (hash >>> 15)) & this.#mask
      while (this.#slots[slot * SLOT] !== 0) slot = (slot + 1) & this.#mask
      this.#slots.set(before.subarray(from, from + SLOT), slot * SLOT)
    }
  }
}

/** A typed array of twice the length with the same content. */
export function grown<Numbers extends Uint8Array | Int32Array | Uint32Array>(
  numbers: Numbers,
  Type: new (length: number) => Numbers,
): Numbers {
  const larger = new Type(numbers.length * 2)
  larger.set(numbers)
  return larger
}
