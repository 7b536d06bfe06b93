import { expect, it } from 'vitest'
import { filterPath, readFilter } from './fleet-filter.ts'

it('reads back the filter of an address, and nothing else', () => {
  const filter = { q: 'a&b', observedState: 'failed' } as const
  expect(readFilter(new URL(filterPath(filter), 'https://x.example').search)).toEqual(filter)
  expect(readFilter('?q=&limit=1000&token=x')).toEqual({})
})

it('leaves an empty filter out of the address', () => {
  expect(filterPath({})).toBe('/admin')
  expect(filterPath({ q: '' })).toBe('/admin')
})
