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

/** The places of a word, and by note number the byte at which those of a note begin. */
export function placedWord(notes: PlacedNotes, offset: number) {
  const positions = encoded(notes)
  const places = new WordPlaces({ positions, offset })
  const begins = new Uint32Array(1 + (notes.at(-1)?.note ?? 0))
  const numbers = Uint32Array.from(notes, ({ note }) => note)
  const half = notes.length >> 1
  const at = places.begins(numbers.subarray(0, half), { at: 0, into: begins })
  const end = places.begins(numbers.subarray(half), { at, into: begins })
  if (end !== positions.length) throw new Error('the places of the notes do not fill their bytes')
  return { places, begins }
}
