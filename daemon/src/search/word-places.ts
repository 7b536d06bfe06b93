/** The places of a word in its notes, as a segment has them. Goes through the notes in their order. */
export class WordPlaces {
  readonly #postings: Uint8Array
  readonly #positions: Uint8Array
  readonly #offset: number
  #at = 0
  #from = 0
  #end = 0

  /** The note whose places are read. */
  note = -1

  /** `offset`: how many words of the phrase stand before the word. */
  constructor({ postings, positions, offset }: { postings: Uint8Array; positions: Uint8Array; offset: number }) {
    this.#postings = postings
    this.#positions = positions
    this.#offset = offset
  }

  /** How many bytes the places of the note take: no fewer than there are places. */
  get bytes(): number {
    return this.#end - this.#from
  }

  /** Goes on with another word, whose bytes lie behind those of the one before. */
  nextWord(): void {
    this.note = -1
  }

  /**
   * Goes to the first note at or after one. A loop without calls, as those below: a common word has as many notes as the
   * vault, and V8 does not optimize until a daemon has worked.
   */
  seek(wanted: number): void {
    const [postings, positions] = [this.#postings, this.#positions]
    let [at, from, end, note] = [this.#at, this.#from, this.#end, this.note]
    while (note < wanted) {
      let byte = postings[at++]!
      let distance = byte & 127
      for (let shift = 7; byte >= 128; shift += 7) {
        byte = postings[at++]!
        distance |= (byte & 127) << shift
      }
      note += distance + 1
      // The weight.
      while (postings[at++]! >= 128);
      from = end
      byte = positions[from++]!
      let length = byte & 127
      for (let shift = 7; byte >= 128; shift += 7) {
        byte = positions[from++]!
        length |= (byte & 127) << shift
      }
      end = from + length
    }
    this.#at = at
    this.#from = from
    this.#end = end
    this.note = note
  }

  /** Writes where the phrase may start in the note, in ascending order. Returns the number of starts. */
  starts(into: Uint32Array): number {
    const [positions, end] = [this.#positions, this.#end]
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

  /** Keeps the starts from one index to another that agree with a place of the word in the note. Returns their number. */
  narrow(starts: Uint32Array, { from, to }: { from: number; to: number }): number {
    const [positions, end] = [this.#positions, this.#end]
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
