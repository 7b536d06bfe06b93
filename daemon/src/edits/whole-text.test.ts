import { ChangeSet } from '@codemirror/state'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toText } from './to-text.ts'
import { stringAfter, stringOf } from './whole-text.ts'

it.each(['', 'one', 'one\n', '\r\none\r\n\ntwo', 'a line\n'.repeat(50_000)])(
  'goes to a text and back: %#',
  (string) => {
    const text = toText(string)
    expect(text.lines).toBe(string.split('\n').length)
    expect(stringOf(text)).toBe(string)
    const changed = text.replace(0, 0, toText('more\n'))
    expect(stringOf(changed)).toBe(`more\n${string}`)
    expect(stringOf(changed)).toBe(`more\n${string}`)
  },
)

it('joins the parts that changes leave, and what they insert', () => {
  const string = 'a line\n'.repeat(20_000)
  const before = toText(string)
  const place = fc.nat(string.length)
  const change = fc.record({ one: place, other: place, insert: fc.constantFrom('', 'x', '\n', 'two\nlines\n') })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 5 }), (made) => {
      const changes = made
        .map(({ one, other, insert }) => ({ from: Math.min(one, other), to: Math.max(one, other), insert }))
        .toSorted((a, b) => a.from - b.from)
        .filter(({ from }, nth, all) => nth === 0 || from >= all[nth - 1]!.to)
      const set = ChangeSet.of(changes, string.length, '\n')
      const after = set.apply(before)
      expect(stringAfter(before, set, after)).toBe(after.toString())
      expect(stringOf(after)).toBe(after.toString())
    }),
    { numRuns: 50 },
  )
})
