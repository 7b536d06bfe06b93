import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placedWord } from '../../../test/support/placed-word.ts'

const ascending = (max: number, maxLength: number) =>
  fc.uniqueArray(fc.nat(max), { minLength: 1, maxLength }).map((numbers) => numbers.sort((a, b) => a - b))
const word = ascending(40_000, 12).chain((notes) =>
  fc.tuple(...notes.map((note) => ascending(20_000, 60).map((places) => ({ note, places })))),
)

test('any note of a word is found, with the starts that its places leave', () => {
  fc.assert(
    fc.property(word, fc.nat(5), fc.array(fc.boolean(), { maxLength: 12 }), (notes, offset, passed) => {
      const wanted = notes.filter((_, index) => !passed[index])
      const { places, begins } = placedWord(notes, offset, wanted)
      for (const [index, { places: its }] of wanted.entries()) {
        places.goTo(begins[index])
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
      const { places: its } = notes.at(-1)!
      const { places, begins } = placedWord(notes, offset)
      places.goTo(begins.at(-1))
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
      const { places, begins } = placedWord(notes, offset)
      const first = placedWord([{ note, places: others }], 0).places
      const signs = new Uint32Array(2048)
      // Marks left by another note.
      places.leaveSigns(begins.at(-1)!, signs, 8)
      first.leaveSigns(0, signs, 9)
      const meets = (sign: number) => places.meetSigns(begins.at(-1)!, signs, sign) > 0
      const same = (start: number) => its.some((place) => place - offset === start)
      const shared = (start: number) => its.some((place) => ((place - offset - start) & 2047) === 0)
      expect(meets(9)).toBe(others.some(shared))
      if (others.some(same)) expect(meets(9)).toBe(true)
      expect(meets(10)).toBe(false)
    }),
  )
})
