import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { alignLines, alignTexts } from './align-lines.ts'
import { authoredLines } from './line-runs.ts'

const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 60 })

test('changes rebuild the text, and are as few lines as those of the whole texts', () => {
  const inserted = (changes: readonly { fromB: number; toB: number }[]) =>
    changes.reduce((sum, { fromB, toB }) => sum + toB - fromB, 0)
  fc.assert(
    fc.property(text, text, text, text, (head, one, other, tail) => {
      const [before, after] = [head + one + tail, head + other + tail]
      const [a, b] = [authoredLines(before), authoredLines(after)]
      const changes = alignTexts(before, after)
      const built: string[] = []
      let at = 0
      for (const { fromA, toA, fromB, toB } of changes) {
        built.push(...a.slice(at, fromA))
        expect(built.length).toBe(fromB)
        built.push(...b.slice(fromB, toB))
        at = toA
      }
      expect([...built, ...a.slice(at)]).toEqual(b)
      expect(inserted(changes)).toBe(inserted(alignLines(a, b)))
    }),
    { numRuns: 2000 },
  )
})

test('texts of very many lines are compared at their ends only', () => {
  verifies('untrusted.off-loop')
  const lines = '\n'.repeat(600_000)
  expect(alignTexts(`head\n${lines}`, `head\nnew\n${lines}`)).toEqual([{ fromA: 1, toA: 1, fromB: 1, toB: 2 }])
  expect(alignTexts(`head\nold\n${lines}x\ntail\n`, `head\nnew\n${lines}y\ntail\n`)).toEqual([
    { fromA: 1, toA: 600_003, fromB: 1, toB: 600_003 },
  ])
})
