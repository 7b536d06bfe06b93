import { expect, test } from 'vitest'
import { filesIn } from './names-in.ts'
import { nothingRemembered, type RememberedFiles } from './remembered.ts'

/** A memory of files that counts how many of their paths are read. */
function memoryOf(...paths: string[]): RememberedFiles & { reads(): number } {
  let reads = 0
  return {
    ...nothingRemembered,
    count: paths.length,
    firstAtOrAfter(wanted) {
      const first = paths.findIndex((path) => path >= wanted)
      return first === -1 ? paths.length : first
    },
    path(number) {
      reads++
      return paths[number]!
    },
    reads: () => reads,
  }
}

const FILES = ['a-b/1.md', 'a.md', 'a/1.md', 'a/2.md', 'a/b/1.md', 'a/b/2.md', 'a/c.md', 'a0/1.md', 'z.md']
const isAny = () => true

test.each([
  ['', ['a.md', 'z.md']],
  ['a', ['1.md', '2.md', 'c.md']],
  ['a/b', ['1.md', '2.md']],
  ['a/c', []],
  ['b', []],
])('the files in %j are those without a folder between', (folder, names) => {
  expect([...filesIn(memoryOf(...FILES), folder, isAny)]).toEqual(names)
})

test('files that do not pass are left out, and those behind them are found', () => {
  const memory = memoryOf(...FILES)
  const isThere = (number: number) => !['a/1.md', 'a/b/1.md', 'a.md'].includes(FILES[number]!)
  expect([...filesIn(memory, 'a', isThere)]).toEqual(['2.md', 'c.md'])
  expect([...filesIn(memory, '', isThere)]).toEqual(['z.md'])
})

test('no path is read of files that are gone', () => {
  const memory = memoryOf(...Array.from({ length: 1000 }, (_, number) => `a/${1000 + number}.md`), 'b.md')
  expect([...filesIn(memory, 'a', () => false)]).toEqual([])
  expect(memory.reads()).toBe(0)
  expect([...filesIn(memory, 'a', (number) => number === 7)]).toEqual(['1007.md'])
  expect(memory.reads()).toBe(1)
})
