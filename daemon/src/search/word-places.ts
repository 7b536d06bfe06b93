/** The notes of a word in order, and the encoded places of the word in each of them, as stored in a segment. */
type Placed = { numbers: Uint32Array; positions: Uint8Array; offset: number }

/** The places of a word in its notes. Walks the notes in order. */
export class WordPlaces {
  #numbers: Uint32Array
  readonly #positions: Uint8Array
  readonly #offset: number
  #index = -1
  #from = 0
  #end = 0

  /** The current note. */
  note = -1

  /** `offset`: the number of words of the phrase before this word. */
  constructor({ numbers, positions, offset }: Placed) {
    this.#numbers = numbers
    this.#positions = positions
    this.#offset = offset
  }

  /** The size of the note's places in bytes, which is at least the number of places. */
  get bytes(): number {
    return this.#end - this.#from
  }

  /** Continues with more notes; their places follow those of the notes before. */
  continueWith(numbers: Uint32Array): void {
    this.#numbers = numbers
    this.#index = -1
    this.note = -1
  }

  /**
   * Advances to the first note at or after `wanted`. Like the methods below, it is a loop without calls: a common word
   * occurs in as many notes as the vault has, and V8 does not optimize until the daemon has worked for a while.
   */
  seek(wanted: number): void {
    const numbers = this.#numbers
    const positions = this.#positions
    let index = this.#index
    let from = this.#from
    let end = this.#end
    let note = this.note
    while (note < wanted) {
      note = numbers[++index]!
      from = end
      let byte = positions[from++]!
      let length = byte & 127
      for (let shift = 7; byte >= 128; shift += 7) {
        byte = positions[from++]!
        length |= (byte & 127) << shift
      }
      end = from + length
    }
    this.#index = index
    this.#from = from
    this.#end = end
    this.note = note
  }

  /** Sets a mark for each start of the phrase in the note. Several starts may share a slot. */
  leaveSigns(signs: Uint32Array, sign: number): void {
    const positions = this.#positions
    const end = this.#end
    const mask = signs.length - 1
    let start = -1 - this.#offset
    for (let at = this.#from; at < end;) {
      let byte = positions[at++]!
      let distance = byte & 127
      for (let shift = 7; byte >= 128; shift += 7) {
        byte = positions[at++]!
        distance |= (byte & 127) << shift
      }
      start += distance + 1
      signs[start & mask] = sign
    }
  }

  /** True when one of the starts in the note has a mark. */
  meetsSign(signs: Uint32Array, sign: number): boolean {
    const positions = this.#positions
    const end = this.#end
    const mask = signs.length - 1
    let start = -1 - this.#offset
    for (let at = this.#from; at < end;) {
      let byte = positions[at++]!
      let distance = byte & 127
      for (let shift = 7; byte >= 128; shift += 7) {
        byte = positions[at++]!
        distance |= (byte & 127) << shift
      }
      start += distance + 1
      if (signs[start & mask] === sign) return true
    }
    return false
  }

  /** Writes where the phrase may start in the note, in ascending order. Returns the number of starts. */
  starts(into: Uint32Array): number {
    const positions = this.#positions
    const end = this.#end
    let count = 0
    let start = -1 - this.#offset
    for (let at = this.#from; at < end;) {
      let byte = positions[at++]!
      let distance = byte & 127
      for (let shift = 7; byte >= 128; shift += 7) {
        byte = positions[at++]!
        distance |= (byte & 127) << shift
      }
      start += distance + 1
      if (start >= 0) into[count++] = start
    }
    return count
  }

  /**
   * Keeps those of the starts in `[from, to)` that agree with a place of the word in the note. Returns their
   * number.
   */
  narrow(starts: Uint32Array, { from, to }: { from: number; to: number }): number {
    const positions = this.#positions
    const end = this.#end
    let kept = from
    let index = from
    let start = -1 - this.#offset
    for (let at = this.#from; at < end && index < to;) {
      let byte = positions[at++]!
      let distance = byte & 127
      for (let shift = 7; byte >= 128; shift += 7) {
        byte = positions[at++]!
        distance |= (byte & 127) << shift
      }
      start += distance + 1
      while (index < to && starts[index]! < start) index++
      if (index < to && starts[index] === start) starts[kept++] = start
    }
    return kept - from
  }
}
