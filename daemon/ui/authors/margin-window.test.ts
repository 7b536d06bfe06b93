import { expect, test } from 'vitest'
import { marginSince } from './margin-window.ts'

test('the last seven days end now; everything has no beginning', () => {
  expect(marginSince('week', new Date('2026-01-08T12:00:00Z'))).toBe('2026-01-01T12:00:00.000Z')
  expect(marginSince('all', new Date('2026-01-08T12:00:00Z'))).toBeUndefined()
})
