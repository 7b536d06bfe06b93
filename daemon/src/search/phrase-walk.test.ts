import { expect, test } from 'vitest'
import { placedWord } from '../../../test/support/placed-word.ts'
import { PhraseWalk } from './phrase-walk.ts'

const NOTES = 1500
// Places of one such note alone are more than the work of a slice.
const LONG = 9000

/** The places of a word in all notes: in most notes a few, in some thousands. The same for the same seed. */
function wordIn(seed: number) {
  let state = seed
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  return Array.from({ length: NOTES }, (_, note) => {
    const isLong = random(300) === 0
    const places = new Set(Array.from({ length: isLong ? LONG : 1 + random(6) }, () => random(isLong ? 40_000 : 24)))
    return { note, places: [...places].sort((a, b) => a - b) }
  })
}

const words = [wordIn(1), wordIn(2), wordIn(3)]

/** Where the phrase of the first words begins in each note. */
const startsOf = (count: number, note: number): number[] => {
  const others = words.slice(1, count).map((notes) => new Set(notes[note]!.places))
  return words[0]![note]!.places.filter((start) => others.every((places, index) => places.has(start + index + 1)))
}

for (const count of [1, 2, 3])
  test(`notes with ${count} words in a row are kept, with their starts, in slices`, () => {
    const numbers = Uint32Array.from({ length: NOTES }, (_, note) => note)
    const found = { numbers, values: Float32Array.from(numbers, (number) => number / 2), count: NOTES }
    const placed = words.slice(0, count).map((notes, offset) => placedWord(notes, offset))
    const walk = new PhraseWalk(found, { words: placed, keepsStarts: true })
    let slices = 1
    while (walk.goOn()) slices += 1

    const expected = words[0]!.map(({ note }) => note).filter((note) => startsOf(count, note).length > 0)
    expect([...numbers.subarray(0, found.count)]).toEqual(expected)
    expect([...found.values.subarray(0, found.count)]).toEqual(expected.map((note) => note / 2))
    expect(expected.length).toBeGreaterThan(20)
    expect(slices).toBeGreaterThan(5)
    for (const [index, note] of expected.slice(0, 50).entries()) {
      const last = startsOf(count, note).at(-1)!
      for (const start of [last + 1, last]) {
        const next = placedWord([{ note: 0, places: [start + count] }], count).places
        next.goTo(0)
        expect(walk.kept.meet(index, next)).toBe(start === last)
      }
    }
  })
