import { expect, test } from 'vitest'
import { pageOf } from './page.ts'

const itemsOf = (...paths: string[]) => paths.map((path) => ({ path }))
const all = itemsOf('a', 'b', 'c')
const pageIn = (list: typeof all, range: { limit: number; cursor: string | undefined }) =>
  pageOf(list, { ...range, after: (path) => list.filter((one) => one.path > path) })

test.each<[string, { limit: number; cursor: string | undefined }, string[], string | undefined]>([
  ['the first page says behind what the next begins', { limit: 2, cursor: undefined }, ['a', 'b'], 'after:b'],
  ['the last page says that there is no more', { limit: 2, cursor: 'after:b' }, ['c'], undefined],
  ['a page that ends with the list is the last', { limit: 3, cursor: undefined }, ['a', 'b', 'c'], undefined],
  ['a cursor at the end of the list is an empty page', { limit: 2, cursor: 'after:c' }, [], undefined],
  ['a cursor of an earlier version is a position', { limit: 1, cursor: '1' }, ['b'], 'after:b'],
  ['a position beyond the list is an empty page', { limit: 2, cursor: '9' }, [], undefined],
])('%s', (_name, range, paths, nextCursor) =>
  expect(pageIn(all, range)).toEqual({
    items: itemsOf(...paths),
    nextCursor: nextCursor === undefined ? {} : { nextCursor },
  }),
)

test('whoever removes the items of a page misses none of the next one', () => {
  expect(pageIn(itemsOf('c', 'd'), { limit: 2, cursor: 'after:b' }).items).toEqual(itemsOf('c', 'd'))
})
