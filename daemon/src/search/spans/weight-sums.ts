/**
 * The weights of several terms added up by note, straight from their postings. One loop without calls, because the words that
 * begin with two letters have as many postings as there are notes, and V8 does not optimize until a daemon has worked.
 */
export class WeightSums {
  /** By the number of a note; 0 for one without the terms. */
  readonly byNote: Uint32Array
  readonly #postings: Uint8Array
  #at = 0
  #note = -1

  /** `postings`: those of the terms, one behind the other. `byNote`: zeros, one for each file. */
  constructor(postings: Uint8Array, byNote: Uint32Array) {
    this.#postings = postings
    this.byNote = byNote
  }

  /** Goes on with another term, whose postings lie behind those of the one before. */
  nextTerm(): void {
    this.#note = -1
  }

  /** Adds the weights of the next notes of a term, each so many times. */
  add(count: number, times: number): void {
    const postings = this.#postings
    const byNote = this.byNote
    let at = this.#at
    let note = this.#note
    for (let left = count; left > 0; left--) {
      let byte = postings[at++]!
      let distance = byte & 127
      for (let shift = 7; byte >= 128; shift += 7) {
        byte = postings[at++]!
        distance |= (byte & 127) << shift
      }
      note += distance + 1
      byte = postings[at++]!
      let weight = byte & 127
      for (let shift = 7; byte >= 128; shift += 7) {
        byte = postings[at++]!
        weight |= (byte & 127) << shift
      }
      byNote[note]! += weight * times
    }
    this.#at = at
    this.#note = note
  }
}
