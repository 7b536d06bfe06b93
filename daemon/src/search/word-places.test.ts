import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeVarint } from './segment/varint.ts'
import { WordPlaces } from './word-places.ts'

/** The places of a word by note, encoded as in a segment: each as the distance to the place before. */
function encoded(notes: readonly { note: number; places: readonly number[] }[]) {
  const positions = new Uint8Array(1 << 16)
  let position = 0
  for (const { places } of notes) {
    const own = new Uint8Array(places.length * 8)
    let [length, next] = [0, 0]
    for (const place of places) {
      length = writeVarint(own, length, place - next)
      next = place + 1
    }
    position = writeVarint(positions, position, length)
    positions.set(own.subarray(0, length), position)
    position += length
  }
  return { numbers: Uint32Array.from(notes, ({ note }) => note), positions: positions.subarray(0, position) }
}

const ascending = (max: number, maxLength: number) =>
  fc.uniqueArray(fc.nat(max), { minLength: 1, maxLength }).map((numbers) => numbers.sort((a, b) => a - b))
const word = ascending(40_000, 12).chain((notes) =>
  fc.tuple(...notes.map((note) => ascending(20_000, 60).map((places) => ({ note, places })))),
)

test('any note of a word is found, with the starts that its places leave', () => {
  fc.assert(
    fc.property(word, fc.nat(5), fc.array(fc.boolean(), { maxLength: 12 }), (notes, offset, passed) => {
      const places = new WordPlaces({ ...encoded(notes), offset })
      for (const [index, { note, places: its }] of notes.entries()) {
        if (passed[index]) continue
        places.seek(note)
        expect(places.note).toBe(note)
        expect(places.bytes).toBeGreaterThanOrEqual(its.length)
        const starts = new Uint32Array(places.bytes)
        const count = places.starts(starts)
        expect([...starts.subarray(0, count)]).toEqual(its.map((place) => place - offset).filter((start) => start >= 0))
      }
    }),
  )
})

test('starts are kept where the word stands as far behind them as it should', () => {
  fc.assert(
    fc.property(word, ascending(20_000, 60), fc.nat(5), fc.nat(3), (notes, others, offset, ahead) => {
      const { note, places: its } = notes.at(-1)!
      const places = new WordPlaces({ ...encoded(notes), offset })
      places.seek(note)
      const candidates = [...new Set([...others, ...its.map((place) => Math.max(0, place - offset))])].sort(
        (a, b) => a - b,
      )
      const starts = Uint32Array.from([...Array<number>(ahead).fill(7), ...candidates, 9])
      const count = places.narrow(starts, { from: ahead, to: starts.length - 1 })
      expect([...starts.subarray(ahead, ahead + count)]).toEqual(
        candidates.filter((start) => its.includes(start + offset)),
      )
      expect([...starts.subarray(0, ahead), starts.at(-1)]).toEqual([...Array<number>(ahead).fill(7), 9])
    }),
  )
})

test('two words meet in a sign where one stands as far behind the other as it should, and rarely elsewhere', () => {
  fc.assert(
    fc.property(word, ascending(20_000, 60), fc.nat(5), (notes, others, offset) => {
      const { note, places: its } = notes.at(-1)!
      const places = new WordPlaces({ ...encoded(notes), offset })
      const first = new WordPlaces({ ...encoded([{ note, places: others }]), offset: 0 })
      const signs = new Uint32Array(2048)
      for (const each of [places, first]) each.seek(note)
      // Marks left by another note.
      places.leaveSigns(signs, 8)
      first.leaveSigns(signs, 9)
      const same = (start: number) => its.some((place) => place - offset === start)
      const shared = (start: number) => its.some((place) => ((place - offset - start) & 2047) === 0)
      expect(places.meetsSign(signs, 9)).toBe(others.some(shared))
      if (others.some(same)) expect(places.meetsSign(signs, 9)).toBe(true)
      expect(places.meetsSign(signs, 10)).toBe(false)
    }),
  )
})
