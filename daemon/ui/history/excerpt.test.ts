import { describe, expect, it } from 'vitest'
import { changedLines } from './changed-lines.ts'
import { excerpt } from './excerpt.ts'

const of = (before: string, after: string) => excerpt(changedLines(before, after))
const lengthOf = ({ shown }: ReturnType<typeof excerpt>) =>
  shown.reduce((sum, part) => sum + (part.kind === 'folded' ? 0 : part.text.length), 0)

describe('what a page shows of the changes of a version', () => {
  it('is all of them, as a rule', () =>
    expect(of('a\nb\n', 'a\nc\n')).toEqual({
      hidden: 0,
      shown: [
        { kind: 'same', text: 'a' },
        { kind: 'removed', text: 'b', hunk: 0 },
        { kind: 'added', text: 'c', hunk: 0 },
        { kind: 'same', text: '' },
      ],
    }))
  it('is the beginning of a text of megabytes, and how much is left', () => {
    const found = of('', 'word '.repeat(200_000))
    expect(lengthOf(found)).toBe(50_000)
    expect(found.hidden).toBe(950_000)
  })
  it('is the change in a line of megabytes, wherever it is', () => {
    const [head, tail] = ['x'.repeat(1_000_000), 'y'.repeat(1_000_000)]
    const found = of(`${head}old${tail}`, `${head}new one${tail}`)
    const around = (middle: string) => ` … ${'x'.repeat(300)}${middle}${'y'.repeat(300)} … `
    expect(found).toEqual({
      hidden: 0,
      shown: [
        { kind: 'removed', text: around('old'), hunk: 0 },
        { kind: 'added', text: around('new one'), hunk: 0 },
      ],
    })
  })
  it('is little of the lines around a change', () => {
    const found = of(`${'x'.repeat(1_000_000)}\nold`, `${'x'.repeat(1_000_000)}\nnew`)
    expect(lengthOf(found)).toBeLessThan(1_000)
    expect(found.hidden).toBe(0)
  })
  it('cuts no character', () => {
    const text = '😀'.repeat(300_000)
    const all = [of('', `a${text}`), of(`${text}a${text}`, `${text}b${text}`), of(`${text}\na`, `${text}\nb`)]
    for (const { shown } of all)
      for (const part of shown) if (part.kind !== 'folded') expect(part.text.isWellFormed()).toBe(true)
  })
})
