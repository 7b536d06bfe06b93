import fc from 'fast-check'
import { expect, test } from 'vitest'
import { best } from './ranking.ts'

test('what is best of many scores is what sorting all of them says', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 60 }), fc.nat(70), (scores, limit) => {
      const items = scores.map((score, order) => ({ score, order }))
      const sorted = items.toSorted((a, b) => b.score - a.score || a.order - b.order).slice(0, limit)
      expect(best(items, limit)).toEqual(sorted)
    }),
  )
})
