import { expect, test } from 'vitest'
import { FileNames, type NamedFile } from '../links/file-names.ts'
import { namesAfter } from './moved-names.ts'

test('moved files are found under their new names alone, the others as before', async () => {
  const names = new FileNames()
  for (const path of ['a/x.md', 'b/x.md', 'c/y.md']) names.add(path)
  const after = await namesAfter(names, new Map([['a/x.md', 'Y.md']]), () => undefined)
  const pathsIn = (files: Iterable<NamedFile>) => Array.from(files, ({ path }) => path)
  expect(pathsIn(after.named('x.md'))).toEqual(['b/x.md'])
  expect(pathsIn(after.named('y.md'))).toEqual(['c/y.md', 'Y.md'])
  expect(pathsIn(names.named('x.md'))).toEqual(['a/x.md', 'b/x.md'])
})
