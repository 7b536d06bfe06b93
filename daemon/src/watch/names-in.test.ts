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
/** By number: 1 for the files that pass. */
const thereOf = (paths: readonly string[], isThere: (path: string, number: number) => boolean = () => true) =>
  Uint8Array.from(paths, (path, number) => (isThere(path, number) ? 1 : 0))

test.each([
  ['', ['a.md', 'z.md']],
  ['a', ['1.md', '2.md', 'c.md']],
  ['a/b', ['1.md', '2.md']],
  ['a/c', []],
  ['b', []],
])('the files in %j are those without a folder between', (folder, names) => {
  expect([...filesIn(memoryOf(...FILES), folder, thereOf(FILES))]).toEqual(names)
})

test('files that are gone are left out, and those behind them are found', () => {
  const memory = memoryOf(...FILES)
  const isThere = thereOf(FILES, (path) => !['a/1.md', 'a/b/1.md', 'a.md'].includes(path))
  expect([...filesIn(memory, 'a', isThere)]).toEqual(['2.md', 'c.md'])
  expect([...filesIn(memory, '', isThere)]).toEqual(['z.md'])
})

test('no path is read of files that are gone', () => {
  const paths = [...Array.from({ length: 1000 }, (_, number) => `a/${1000 + number}.md`), 'b.md']
  const memory = memoryOf(...paths)
  expect([
    ...filesIn(
      memory,
      'a',
      thereOf(paths, () => false),
    ),
  ]).toEqual([])
  expect(memory.reads()).toBe(0)
  expect([
    ...filesIn(
      memory,
      'a',
      thereOf(paths, (_path, number) => number === 7),
    ),
  ]).toEqual(['1007.md'])
  expect(memory.reads()).toBe(1)
})

test('the names are those of the moment of the call', () => {
  const isThere = thereOf(FILES)
  const names = filesIn(memoryOf(...FILES), 'a', isThere)
  expect(names.next().value).toBe('1.md')
  isThere.fill(0)
  expect([...names]).toEqual(['2.md', 'c.md'])
})
