import { writeVarint } from '../../daemon/src/search/segment/varint.ts'
import { WordPlaces } from '../../daemon/src/search/word-places.ts'

/** The notes of a word in ascending order, each with the places of the word. */
export type PlacedNotes = readonly { note: number; places: readonly number[] }[]

/** Encodes places as in a segment: each as the distance to the place before. */
function encoded(notes: PlacedNotes): Uint8Array {
  const bytes = (places: readonly number[]) => 8 * (places.length + 1)
  const positions = new Uint8Array(notes.reduce((sum, { places }) => sum + bytes(places), 0))
  let position = 0
  for (const { places } of notes) {
    const own = new Uint8Array(bytes(places))
    let [length, next] = [0, 0]
    for (const place of places) {
      length = writeVarint(own, length, place - next)
      next = place + 1
    }
    position = writeVarint(positions, position, length)
    positions.set(own.subarray(0, length), position)
    position += length
  }
  return positions.subarray(0, position)
}

/** The places of a word, and for each of some of its notes the byte at which its places begin. */
export function placedWord(notes: PlacedNotes, offset: number, wanted = notes) {
  const positions = encoded(notes)
  const places = new WordPlaces({ positions, offset })
  const numbersOf = (some: PlacedNotes) => Uint32Array.from(some, ({ note }) => note)
  const begins = new Uint32Array(wanted.length)
  const numbers = numbersOf(notes)
  const half = notes.length >> 1
  for (const some of [numbers.subarray(0, half), numbers.subarray(half)])
    places.findBegins(some, { wanted: numbersOf(wanted), into: begins })
  return { places, begins }
}
