import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { diffLines, splitLines } from './line-diff.ts'
import { applySplices } from './plan-edits.ts'
import { rebaseSplices } from './rebase-edits.ts'
import { unifiedDiff } from './unified-diff.ts'

const line = fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'a\r\n')
const lines = fc.array(line, { maxLength: 20 })

test('the changes turn the one into the other', () => {
  fc.assert(
    fc.property(lines, lines, (a, b) => {
      const rebuilt: string[] = []
      let at = 0
      for (const { fromA, toA, fromB, toB } of diffLines(a, b)) {
        rebuilt.push(...a.slice(at, fromA), ...b.slice(fromB, toB))
        at = toA
      }
      expect([...rebuilt, ...a.slice(at)]).toEqual(b)
    }),
  )
})

test('texts that differ everywhere are one change', () => {
  const a = Array.from({ length: 2000 }, (_, index) => `a${index}\n`)
  const b = Array.from({ length: 2000 }, (_, index) => `b${index}\n`)
  expect(diffLines(a, b)).toEqual([{ fromA: 0, toA: 2000, fromB: 0, toB: 2000 }])
})

test('a rewrite that must exceed the cap is one change without a search', () => {
  const text = (word: string) => Array.from({ length: 2000 }, (_, index) => (index % 2 ? '\n' : `${word} ${index}\n`))
  const [a, b] = [text('old'), text('new')]
  // Each step of the search fills an array.
  const steps = vi.spyOn(Int32Array.prototype, 'fill')
  try {
    expect(diffLines(a, b)).toEqual([{ fromA: 0, toA: 1999, fromB: 0, toB: 1999 }])
    expect(steps).not.toHaveBeenCalled()
    expect(diffLines(['a\n', ...a], [...a, 'b\n'])).toHaveLength(2)
    expect(steps).toHaveBeenCalled()
  } finally {
    steps.mockRestore()
  }
})

test('splitting loses nothing', () => {
  fc.assert(fc.property(fc.string(), (text) => splitLines(text).join('') === text))
})

test('shows a change with its neighbours', () => {
  expect(unifiedDiff('1\n2\n3\n4\n5\n6\n', '1\n2\n3\nX\n5\n6\n')).toBe('@@ -2,5 +2,5 @@\n 2\n 3\n-4\n+X\n 5\n 6\n')
  expect(unifiedDiff('a', 'b')).toBe('@@ -1,1 +1,1 @@\n-a\n+b\n')
})

test('an edit moves with what was inserted above, and is refused when its own place or a neighbour changed', () => {
  const base = '1\n2\n3\n4\n5\n'
  const splice = { start: base.indexOf('4'), end: base.indexOf('4') + 1, text: 'X' }
  const onto = (current: string) => {
    const moved = rebaseSplices(base, current, [splice])
    return moved && applySplices(current, moved)
  }
  expect(onto('0\n1\n2\n3\n4\n5\n')).toBe('0\n1\n2\n3\nX\n5\n')
  expect(onto('1\n3\n4\n5\n')).toBe('1\n3\nX\n5\n')
  expect(onto('1\n2\n3\nfour\n5\n')).toBeUndefined()
  expect(onto('1\n2\nthree\n4\n5\n')).toBeUndefined()
  expect(onto('1\n2\n3\n4\nfive\n')).toBeUndefined()
})
