import { describe, expect, it } from 'vitest'
import { ago, dayOf } from './when.ts'

const now = new Date(2026, 10, 22, 12, 0, 0)
const before = (minutes: number) => new Date(now.getTime() - minutes * 60_000)

describe('how long ago', () => {
  it.each([
    [0, 'just now'],
    [5, '5 min ago'],
    [59, '59 min ago'],
    [3 * 60, '3 h ago'],
    [13 * 60, 'yesterday'],
  ])('%i minutes', (minutes, words) => expect(ago(before(minutes), now)).toBe(words))

  it('names the year only where it is another one', () => {
    expect(dayOf(new Date(2026, 0, 2), now)).not.toContain('2026')
    expect(dayOf(new Date(2025, 0, 2), now)).toContain('2025')
  })
})
