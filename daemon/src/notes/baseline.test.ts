import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { baselineOf } from './baseline.ts'
import { recentVersions } from './recent-versions.ts'

test('a baseline is the first 24 hex digits of the SHA-256 of the bytes', () => {
  verifies('notes.baseline-etag')
  expect(baselineOf(Buffer.from(''))).toBe('e3b0c44298fc1c149afbf4c8')
  expect(baselineOf(Buffer.from('a\r\n'))).not.toBe(baselineOf(Buffer.from('a\n')))
})

test('recent versions forget the least lately used', () => {
  const versions = recentVersions({ maxCharacters: 6 })
  versions.remember('a', 'aaa')
  versions.remember('b', 'bbb')
  versions.find('a')
  versions.remember('c', 'ccc')
  expect([versions.find('a'), versions.find('b'), versions.find('c')]).toEqual(['aaa', undefined, 'ccc'])
})
