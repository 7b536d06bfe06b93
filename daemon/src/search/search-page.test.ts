import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { nextCursorOf, searchPage } from './search-page.ts'

test.each([
  [undefined, 0],
  ['0', 0],
  ['20', 20],
  ['10000', 10_000],
])('cursor %j begins at hit %d', (cursor, offset) =>
  expect(searchPage({ cursor, limit: 20 })).toEqual({ offset, limit: 20 }),
)

test.each(['10001', '999999999', '-1', '1.5', '1e3', ' 1', '', 'x'])('%j is no cursor of a search', (cursor) => {
  verifies('search.deepest-page')
  expect(() => searchPage({ cursor, limit: 20 })).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      details: [{ path: 'cursor', message: 'is not a cursor of this search' }],
    }),
  )
})

test.each([
  { offset: 0, total: 21, next: '20' },
  { offset: 0, total: 20, next: undefined },
  { offset: 9_980, total: 100_000, next: '10000' },
  { offset: 9_981, total: 100_000, next: undefined },
  { offset: 10_000, total: 100_000, next: undefined },
])('after 20 hits from $offset of $total, the next page is $next', ({ offset, total, next }) =>
  expect(nextCursorOf({ offset, limit: 20 }, total)).toBe(next),
)
