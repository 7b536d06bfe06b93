import { expect, test } from 'vitest'
import { withoutEndSlashes } from './end-slashes.ts'

test.each([
  ['', ''],
  ['/', ''],
  ['a/b', 'a/b'],
  ['a/b//', 'a/b'],
  ['//a/', '//a'],
])('%j without its end slashes is %j', (path, expected) => expect(withoutEndSlashes(path)).toBe(expected))
