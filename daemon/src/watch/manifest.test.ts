import { expect, test } from 'vitest'
import { Manifest } from './manifest.ts'
import { isMassDisappearance } from './mass-disappearance.ts'

const stamp = { size: 1, mtimeMs: 1, ctimeMs: 1, ino: 1 }
const put = (manifest: Manifest, path: string) => manifest.putFile({ path, stamp, facts: undefined })

test('files bring their folders and leave them behind', () => {
  const manifest = new Manifest()
  put(manifest, 'a/b/c.md')
  expect([manifest.children(''), manifest.children('a'), manifest.children('a/b')]).toEqual([['a'], ['b'], ['c.md']])
  expect(manifest.filesBelow('a').map(({ path }) => path)).toEqual(['a/b/c.md'])
  manifest.removeFile('a/b/c.md')
  expect(manifest.foldersBelow('')).toEqual(['', 'a', 'a/b'])
  manifest.removeFolder('a/b')
  expect(manifest.children('a')).toEqual([])
})

test('a name in another normal form is found by the usual one', () => {
  const manifest = new Manifest()
  put(manifest, 'Cafe\u0301.md')
  expect(manifest.onDisk('Café.md')).toBe('Cafe\u0301.md')
  put(manifest, 'Café.md')
  expect(manifest.onDisk('Café.md')).toBe('Café.md')
  manifest.removeFile('Café.md')
  expect(manifest.onDisk('Café.md')).toBe('Cafe\u0301.md')
})

test.each([
  [{ gone: 9, known: 9 }, false],
  [{ gone: 30, known: 100 }, false],
  [{ gone: 31, known: 100 }, true],
  [{ gone: 10, known: 10 }, true],
])('%j gone at once: %s', (counts, expected) => expect(isMassDisappearance(counts)).toBe(expected))
