import { describe, expect, it } from 'vitest'
import { mergeTexts } from './merge-places.ts'

const text = (...lines: string[]) => lines.join('\n')
const base = text('one', 'two', 'three', 'four', 'five')

describe('merging two edits of one note', () => {
  it('keeps both when they are apart', () => {
    const merged = mergeTexts({
      base,
      mine: text('ONE', 'two', 'three', 'four', 'five'),
      theirs: text('one', 'two', 'three', 'four', 'FIVE', 'six'),
    })
    expect(merged).toBe(text('ONE', 'two', 'three', 'four', 'FIVE', 'six'))
  })

  it('takes a change that both made once', () => {
    const same = text('one', 'TWO', 'three', 'four', 'five')
    expect(mergeTexts({ base, mine: same, theirs: same })).toBe(same)
  })

  it('leaves the choice to the person when both touch a line', () => {
    const mine = text('one', 'mine', 'three', 'four', 'five')
    const theirs = text('one', 'theirs', 'three', 'four', 'five')
    expect(mergeTexts({ base, mine, theirs })).toBeUndefined()
  })

  it('leaves the choice when both add at the same place', () => {
    expect(mergeTexts({ base, mine: `${base}\nmine`, theirs: `${base}\ntheirs` })).toBeUndefined()
  })

  it('leaves the choice when one removes what the other edits', () => {
    const mine = text('one', 'five')
    const theirs = text('one', 'two', 'THREE', 'four', 'five')
    expect(mergeTexts({ base, mine, theirs })).toBeUndefined()
  })
})
