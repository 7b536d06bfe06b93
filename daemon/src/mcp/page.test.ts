import { expect, test } from 'vitest'
import { pageOf } from './page.ts'

const all = ['a', 'b', 'c']

test.each<[string, { limit: number; cursor: string | undefined }, string[], string | undefined]>([
  ['the first page says where the next begins', { limit: 2, cursor: undefined }, ['a', 'b'], '2'],
  ['the last page says that there is no more', { limit: 2, cursor: '2' }, ['c'], undefined],
  ['a page that ends with the list is the last', { limit: 3, cursor: undefined }, all, undefined],
  ['a cursor beyond the list is an empty page', { limit: 2, cursor: '9' }, [], undefined],
])('%s', (_name, range, items, nextCursor) =>
  expect(pageOf(all, range)).toEqual({ items, nextCursor: nextCursor === undefined ? {} : { nextCursor } }),
)
