import { grown } from './postings/grown.ts'

/** For each of some notes its places in ascending order, in one array: those of note n end before `ends[n]`. */
export type PlaceLists = { ends: Uint32Array; places: Uint32Array }

/** Collects places for some notes, by their index. */
export class PlaceCollector {
  readonly #notes: number
  #owners: Uint32Array
  #places: Uint32Array
  #count = 0
  #isInOrder = true

  constructor(notes: number) {
    this.#notes = notes
    this.#owners = new Uint32Array(Math.max(16, notes * 2))
    this.#places = new Uint32Array(Math.max(16, notes * 2))
  }

  /**
   * Adds the places of a note that are encoded in bytes, as distances. Begins behind the place `before` the first one.
   * Returns how many there are.
   */
  addEncoded(owner: number, bytes: Uint8Array, { from, end }: { from: number; end: number }): number {
    // Each place takes a byte or more.
    while (this.#count + end - from > this.#places.length) {
      this.#owners = grown(this.#owners, Uint32Array)
      this.#places = grown(this.#places, Uint32Array)
    }
    const [owners, places, first] = [this.#owners, this.#places, this.#count]
    if (first > 0 && owners[first - 1]! >= owner) this.#isInOrder = false
    let count = first
    let place = -1
    for (let at = from; at < end;) {
      let byte = bytes[at++]!
      let distance = byte & 127
      for (let scale = 128; byte >= 128 && at < end; scale *= 128) {
        byte = bytes[at++]!
        distance += (byte & 127) * scale
      }
      place += distance + 1
      owners[count] = owner
      places[count++] = place
    }
    this.#count = count
    return count - first
  }

  lists(): PlaceLists {
    const [owners, places, count] = [this.#owners, this.#places, this.#count]
    const ends = new Uint32Array(this.#notes)
    for (let index = 0; index < count; index++) ends[owners[index]!]!++
    for (let note = 1; note < ends.length; note++) ends[note]! += ends[note - 1]!
    if (this.#isInOrder) return { ends, places: places.subarray(0, count) }

    const sorted = new Uint32Array(count)
    const next = new Uint32Array(this.#notes)
    for (let note = 1; note < next.length; note++) next[note] = ends[note - 1]!
    for (let index = 0; index < count; index++) sorted[next[owners[index]!]!++] = places[index]!
    for (let note = 0; note < ends.length; note++) {
      const start = note === 0 ? 0 : ends[note - 1]!
      if (ends[note]! - start > 1) sorted.subarray(start, ends[note]).sort()
    }
    return { ends, places: sorted }
  }
}

/**
 * Where a phrase may start in each note, by the places of one of its words that has so many words before it: among the
 * possible starts by other words, if there are any.
 */
export function commonStarts(starts: PlaceLists | undefined, { ends, places }: PlaceLists, offset: number): PlaceLists {
  const common: PlaceLists = { ends: new Uint32Array(ends.length), places: new Uint32Array(places.length) }
  let kept = 0
  let own = 0
  let at = 0
  for (let note = 0; note < ends.length; note++) {
    const end = ends[note]!
    const startsEnd = starts ? starts.ends[note]! : 0
    for (; own < end; own++) {
      if (places[own]! < offset) continue
      const start = places[own]! - offset
      if (starts) {
        while (at < startsEnd && starts.places[at]! < start) at++
        if (at === startsEnd || starts.places[at] !== start) continue
      }
      common.places[kept++] = start
    }
    at = startsEnd
    common.ends[note] = kept
  }
  return { ends: common.ends, places: common.places.subarray(0, kept) }
}
