import { MAX_TERM } from './tokens.ts'

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** Gives each distinct term a number, counted from 0. Terms are kept as bytes: no string per term, no object either. */
export class TermTable {
  count = 0
  #slots = new Int32Array(1 << 16)
  #hashes = new Int32Array(1 << 15)
  // Term n has the bytes from #ends[n] to #ends[n + 1].
  #ends = new Uint32Array((1 << 15) + 1)
  #bytes = new Uint8Array(1 << 18)
  readonly #scratch = new Uint8Array(4096)
  readonly #encoder = new TextEncoder()

  /** The number of an ASCII word as written in a text. Case is folded here. */
  ascii(text: string, start: number, end: number): number {
    const length = Math.min(end - start, MAX_TERM)
    const scratch = this.#scratch
    let hash = FNV_OFFSET
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(start + index)
      const lower = code >= 65 && code <= 90 ? code + 32 : code
      scratch[index] = lower
      hash = Math.imul(hash ^ lower, FNV_PRIME)
    }
    return this.#idOf(length, hash)
  }

  /** The number of a folded term. */
  term(term: string): number {
    const scratch = this.#scratch
    const { written } = this.#encoder.encodeInto(term, scratch)
    let hash = FNV_OFFSET
    for (let index = 0; index < written; index++) hash = Math.imul(hash ^ scratch[index]!, FNV_PRIME)
    return this.#idOf(written, hash)
  }

  /** The bytes of a term; valid until the next term is added. */
  bytesOf(id: number): Uint8Array {
    return this.#bytes.subarray(this.#ends[id], this.#ends[id + 1])
  }

  /** All terms in the order of their bytes. */
  sorted(): Uint32Array {
    const keys = Float64Array.from({ length: this.count }, (_, id) => this.#sortKey(id))
    return Uint32Array.from({ length: this.count }, (_, id) => id).sort(
      (a, b) => keys[a]! - keys[b]! || Buffer.compare(this.bytesOf(a), this.bytesOf(b)),
    )
  }

  /** The first six bytes as a number, which settles most comparisons. */
  #sortKey(id: number): number {
    const bytes = this.bytesOf(id)
    let key = 0
    for (let index = 0; index < 6; index++) key = key * 256 + (bytes[index] ?? 0)
    return key
  }

  #idOf(length: number, hash: number): number {
    const mask = this.#slots.length - 1
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const id = this.#slots[slot]! - 1
      if (id === -1) return this.#add(slot, length, hash)
      if (this.#hashes[id] === hash && this.#isScratch(id, length)) return id
    }
  }

  #isScratch(id: number, length: number): boolean {
    const start = this.#ends[id]!
    if (this.#ends[id + 1]! - start !== length) return false
    for (let index = 0; index < length; index++) if (this.#bytes[start + index] !== this.#scratch[index]) return false
    return true
  }

  #add(slot: number, length: number, hash: number): number {
    const id = this.count++
    const start = this.#ends[id]!
    if (start + length > this.#bytes.length) this.#bytes = grown(this.#bytes, Uint8Array)
    this.#bytes.set(this.#scratch.subarray(0, length), start)
    if (this.count === this.#hashes.length) {
      this.#hashes = grown(this.#hashes, Int32Array)
      this.#ends = grown(this.#ends, Uint32Array)
    }
    this.#ends[id + 1] = start + length
    this.#hashes[id] = hash
    this.#slots[slot] = id + 1
    if (this.count * 2 > this.#slots.length) this.#rehash()
    return id
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2)
    const mask = this.#slots.length - 1
    for (let id = 0; id < this.count; id++) {
      const hash = this.#hashes[id]!
      let slot = (hash ^ (hash >>> 15)) & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = id + 1
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
