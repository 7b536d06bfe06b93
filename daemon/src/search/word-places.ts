/** The places of a word in its notes, encoded as in a segment: those of one note follow those of the note before. */
export class WordPlaces {
  readonly #positions: Uint8Array
  readonly #offset: number
  #from = 0
  #end = 0
  // The number of wanted notes of `findBegins` that were found.
  #found = 0

  /** `offset`: the number of words of the phrase before this word. */
  constructor({ positions, offset }: { positions: Uint8Array; offset: number }) {
    this.#positions = positions
    this.#offset = offset
  }

  /** The size of the current note's places in bytes, which is at least the number of places. */
  get bytes(): number {
    return this.#end - this.#from
  }

  /**
   * Makes a note the current one: the note whose places begin at this byte, or the next note. Like the methods below, it
   * has no calls: a common word occurs in as many notes as the vault has, and V8 does not optimize until the daemon has
   * worked for a while.
   */
  goTo(begin = this.#end): void {
    const positions = this.#positions
    let at = begin
    let byte = positions[at++]!
    let length = byte & 127
    for (let shift = 7; byte >= 128; shift += 7) {
      byte = positions[at++]!
      length |= (byte & 127) << shift
    }
    this.#from = at
    this.#end = at + length
  }

  /**
   * Finds where the places of some notes begin. Works through notes that follow each other, from where the call before
   * ended. `wanted`: ascending note numbers; all of them have the word. `into`: one entry per wanted note.
   */
  findBegins(notes: Uint32Array, { wanted, into }: { wanted: Uint32Array; into: Uint32Array }): void {
    const positions = this.#positions
    let at = this.#end
    let found = this.#found
    for (let index = 0; index < notes.length && found < wanted.length; index++) {
      into[found] = at
      // One further for a wanted note, and none for another, without a branch that the processor would mispredict.
      const difference = wanted[found]! ^ notes[index]!
      found += 1 - ((difference | (0 - difference)) >>> 31)
      let byte = positions[at++]!
      let length = byte & 127
      for (let shift = 7; byte >= 128; shift += 7) {
        byte = positions[at++]!
        length |= (byte & 127) << shift
      }
      at += length
    }
    this.#end = at
    this.#found = found
  }

  /**
   * Sets a mark for each start of the phrase in the note whose places begin at a byte. Several starts may share a slot.
   * Returns the size of the places in bytes.
   */
  leaveSigns(begin: number, signs: Uint32Array, sign: number): number {
    const positions = this.#positions
    const mask = signs.length - 1
    let at = begin
    let byte = positions[at++]!
    let length = byte & 127
    for (let shift = 7; byte >= 128; shift += 7) {
      byte = positions[at++]!
      length |= (byte & 127) << shift
    }
    const end = at + length
    let start = -1 - this.#offset
    while (at < end) {
      byte = positions[at++]!
      // 1 for a distance of two bytes or more, 0 for one: the processor could not predict a branch. After the last byte
      // of all there is none to read, and none is used.
      const more = byte >>> 7
      const next = positions[at]! & (0 - more)
      let distance = (byte & 127) | ((next & 127) << 7)
      at += more
      byte = next
      for (let shift = 14; byte >= 128; shift += 7) {
        byte = positions[at++]!
        distance |= (byte & 127) << shift
      }
      start += distance + 1
      signs[start & mask] = sign
    }
    return length
  }

  /**
   * Looks for the mark at the starts in the note whose places begin at a byte. Returns the size of the places in bytes,
   * negative when no start has the mark.
   */
  meetSigns(begin: number, signs: Uint32Array, sign: number): number {
    const positions = this.#positions
    const mask = signs.length - 1
    let at = begin
    let byte = positions[at++]!
    let length = byte & 127
    for (let shift = 7; byte >= 128; shift += 7) {
      byte = positions[at++]!
      length |= (byte & 127) << shift
    }
    const end = at + length
    let start = -1 - this.#offset
    while (at < end) {
      byte = positions[at++]!
      // 1 for a distance of two bytes or more, 0 for one: the processor could not predict a branch. After the last byte
      // of all there is none to read, and none is used.
      const more = byte >>> 7
      const next = positions[at]! & (0 - more)
      let distance = (byte & 127) | ((next & 127) << 7)
      at += more
      byte = next
      for (let shift = 14; byte >= 128; shift += 7) {
        byte = positions[at++]!
        distance |= (byte & 127) << shift
      }
      start += distance + 1
      if (signs[start & mask] === sign) return length
    }
    return -length
  }

  /** Writes where the phrase may start in the current note, in ascending order. Returns the number of starts. */
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
   * Keeps those of the starts in `[from, to)` that agree with a place of the word in the current note. Returns their
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
