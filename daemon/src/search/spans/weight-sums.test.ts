import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeVarint } from '../segment/varint.ts'
import { WeightSums } from './weight-sums.ts'

const FILES = 40_000
const posting = fc.record({ note: fc.nat(FILES - 1), weight: fc.integer({ min: 1, max: 70_000 }) })
const term = fc
  .uniqueArray(posting, { minLength: 1, maxLength: 30, selector: ({ note }) => note })
  .map((postings) => postings.sort((a, b) => a.note - b.note))

test('the weights of terms are added up by note, in parts of any size', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(term, fc.constantFrom(1, 2)), { maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
      (terms, part) => {
        const bytes = new Uint8Array(1 << 12)
        const expected = new Map<number, number>()
        let at = 0
        for (const [postings, times] of terms) {
          let before = -1
          for (const { note, weight } of postings) {
            at = writeVarint(bytes, writeVarint(bytes, at, note - before - 1), weight)
            before = note
            expected.set(note, (expected.get(note) ?? 0) + weight * times)
          }
        }

        const sums = new WeightSums(bytes.subarray(0, at), new Uint32Array(FILES))
        for (const [postings, times] of terms) {
          sums.nextTerm()
          for (let left = postings.length; left > 0; left -= part) sums.add(Math.min(left, part), times)
        }
        const held = Array.from(sums.byNote.entries()).filter(([, sum]) => sum > 0)
        expect(held).toEqual([...expected].sort(([a], [b]) => a - b))
      },
    ),
  )
})
