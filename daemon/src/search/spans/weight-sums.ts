/**
 * The weights of several terms, summed by note directly from their postings. It is one loop without calls: the words
 * that begin with two letters have as many postings as there are notes, and V8 does not optimize until the daemon has
 * worked for a while.
 */
export class WeightSums {
  /** By note number; 0 for a note without the terms. */
  readonly byNote: Uint32Array
  readonly #postings: Uint8Array
  #at = 0
  #note = -1

  /** `postings`: those of all terms, one after the other. `byNote`: zeros, one for each file. */
  constructor(postings: Uint8Array, byNote: Uint32Array) {
    this.#postings = postings
    this.byNote = byNote
  }

  /** Continues with the next term; its postings follow those of the term before. */
  nextTerm(): void {
    this.#note = -1
  }

  /** Adds the weights of the next `count` notes of a term, each multiplied by `times`. */
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
