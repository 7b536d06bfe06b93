import type { Stats } from 'node:fs'
import { expect, test } from 'vitest'
import type { FileEntry, Manifest } from './backup-manifest.ts'
import { knownContent } from './known-content.ts'

const file = (path: string, [chunk, offset, length]: [string, number, number]): FileEntry => ({
  path,
  size: length,
  mode: 0o600,
  mtimeMs: 1,
  stamp: [7, 2],
  sha256: `hash of ${path}`,
  pieces: [[chunk, offset, length]],
})
const manifestOf = (...files: FileEntry[]): Manifest => ({
  head: { format: 1, backupId: 'bak_20260101000000aaaaaaaaaa', takenAt: '2026-01-01T00:00:00.000Z' },
  files: new Map(files.map((one) => [one.path, one])),
  folders: [],
})
const stat = { size: 10, mtimeMs: 1, ctimeMs: 2, ino: 7 } as Stats
const stored = new Set(['one'])

test('a file that looks as it did is known while its chunk is stored', () => {
  const previous = manifestOf(file('vaults/a', ['one', 0, 10]))
  expect(knownContent(previous, stored).unchanged('vaults/a', stat)).toBeDefined()
  expect(knownContent(previous, new Set()).unchanged('vaults/a', stat)).toBeUndefined()
  for (const change of [{ size: 11 }, { mtimeMs: 3 }, { ctimeMs: 3 }, { ino: 8 }])
    expect(knownContent(previous, stored).unchanged('vaults/a', { ...stat, ...change } as Stats)).toBeUndefined()
})

test('a content is found under another name, by hash and size', () => {
  const known = knownContent(manifestOf(file('vaults/a', ['one', 0, 10])), stored)
  expect(known.find('hash of vaults/a', 10)).toEqual([{ chunk: 'one', offset: 0, length: 10 }])
  expect(known.find('hash of vaults/a', 9)).toBeUndefined()
  expect(known.find('another', 10)).toBeUndefined()
})

test('a pack of which little is left is packed anew', () => {
  const left = knownContent(manifestOf(file('vaults/a', ['one', 90, 10])), stored)
  expect(left.unchanged('vaults/a', stat)).toBeUndefined()
  const half = knownContent(manifestOf(file('vaults/a', ['one', 10, 10])), stored)
  expect(half.unchanged('vaults/a', stat)).toBeDefined()
})

test('without a backup before nothing is known', () =>
  expect(knownContent(undefined, stored).unchanged('vaults/a', stat)).toBeUndefined())
