import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commonStarts, PlaceCollector, type PlaceLists } from './place-lists.ts'
import { writeVarint } from './segment/varint.ts'

/** The places of one word in some notes, as a segment has them. */
function listsOf(notes: readonly (readonly number[])[]): PlaceLists {
  const collector = new PlaceCollector(notes.length)
  for (const [note, places] of notes.entries()) add(collector, note, places)
  return collector.lists()
}

function add(collector: PlaceCollector, note: number, places: readonly number[]): void {
  const bytes = new Uint8Array(places.length * 8)
  let end = 0
  let next = 0
  for (const place of places) {
    end = writeVarint(bytes, end, place - next)
    next = place + 1
  }
  expect(collector.addEncoded(note, bytes, { from: 0, end })).toBe(places.length)
}

const toArrays = ({ ends, places }: PlaceLists): number[][] =>
  Array.from(ends, (end, note) => Array.from(places.subarray(ends[note - 1] ?? 0, end)))

const notesOf = fc.array(
  fc.uniqueArray(fc.nat(300), { maxLength: 8 }).map((places) => places.sort((a, b) => a - b)),
  {
    minLength: 6,
    maxLength: 6,
  },
)

test('places come back as they were added', () => {
  fc.assert(
    fc.property(notesOf, (notes) => {
      expect(toArrays(listsOf(notes))).toEqual(notes)
    }),
  )
})

test('places of several words are in one order', () => {
  const collector = new PlaceCollector(3)
  add(collector, 0, [5, 400_000])
  add(collector, 2, [7])
  add(collector, 0, [3, 9])
  add(collector, 1, [])
  expect(toArrays(collector.lists())).toEqual([[3, 5, 9, 400_000], [], [7]])
})

test('a phrase starts where each of its words is as far on as it should be', () => {
  fc.assert(
    fc.property(notesOf, notesOf, fc.nat(4), fc.nat(4), (first, second, offset, other) => {
      const starts = commonStarts(undefined, listsOf(first), offset)
      const expected = first.map((places, note) =>
        places.map((place) => place - offset).filter((start) => start >= 0 && second[note]!.includes(start + other)),
      )
      expect(toArrays(commonStarts(starts, listsOf(second), other))).toEqual(expected)
    }),
  )
})
