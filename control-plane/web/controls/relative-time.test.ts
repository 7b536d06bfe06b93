import { describe, expect, it } from 'vitest'
import { humanBytes, relativeTime } from './relative-time.ts'

const now = new Date('2026-03-01T12:00:00Z')

describe('relativeTime', () => {
  it.each([
    ['2026-03-01T11:59:58Z', 'just now'],
    ['2026-03-01T11:57:00Z', '3 minutes ago'],
    ['2026-03-01T10:30:00Z', '1 hour ago'],
    ['2026-02-28T12:00:00Z', 'yesterday'],
    ['2026-03-07T12:00:00Z', 'in 6 days'],
    ['2026-03-08T11:59:59Z', 'in 7 days'],
    ['2026-03-01T12:00:30Z', 'in less than a minute'],
  ])('says of %s: %s', (iso, said) => {
    expect(relativeTime(iso, now)).toBe(said)
  })
})

describe('humanBytes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1400, '1.4 kB'],
    [250_000_000, '250 MB'],
    [10_737_418_240, '10.7 GB'],
  ])('says of %i: %s', (bytes, said) => {
    expect(humanBytes(bytes)).toBe(said)
  })
})
