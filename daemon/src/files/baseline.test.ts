import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { baselineOf } from './baseline.ts'
import { createRecentVersions } from '../notes/recent-versions.ts'

test('a baseline is the first 24 hex digits of the SHA-256 of the bytes', () => {
  verifies('notes.baseline-etag')
  expect(baselineOf(Buffer.from(''))).toBe('e3b0c44298fc1c149afbf4c8')
  expect(baselineOf(Buffer.from('a\r\n'))).not.toBe(baselineOf(Buffer.from('a\n')))
})

test('recent versions forget the least lately used, and those of a note that was deleted for good', () => {
  const versions = createRecentVersions({ maxCharacters: 6 })
  const of = (baseline: string, path = 'n.md', identity = 'v') => ({ vault: { identity }, path, baseline })
  versions.remember(of('a'), 'aaa')
  versions.remember(of('b'), 'bbb')
  versions.find(of('a'))
  versions.remember(of('c', 'm.md'), 'ccc')
  expect([versions.find(of('a')), versions.find(of('b'))]).toEqual(['aaa', undefined])
  expect([versions.find(of('a', 'm.md')), versions.find(of('a', 'n.md', 'w'))]).toEqual([undefined, undefined])
  versions.forget(of('a'))
  expect([versions.find(of('a')), versions.find(of('c', 'm.md'))]).toEqual([undefined, 'ccc'])
})
