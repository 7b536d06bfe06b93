import { describe, expect, test } from 'vitest'
import { MAX_CHUNK_BYTES } from '@svc/shared/wire/daemon/backup-frames.ts'
import { verifies } from '../../../test/requirements.ts'
import { decodeManifest, encodeManifest, fitsManifest, type FileEntry, type Manifest } from './backup-manifest.ts'

const chunk = 'c'.repeat(64)
const entry = (changed: Partial<FileEntry> = {}): FileEntry => ({
  path: 'vaults/v/a.md',
  size: 0,
  mode: 0o644,
  mtimeMs: 0,
  stamp: [1, 1],
  sha256: 'e'.repeat(64),
  pieces: [],
  ...changed,
})
const head: Manifest['head'] = {
  format: 1,
  backupId: 'bak_20260101000000aaaaaaaaaa',
  takenAt: '2026-01-01T00:00:00.000Z',
}

async function partsOf(files: FileEntry[], folders = ['vaults', 'vaults/v']): Promise<Buffer[]> {
  const parts: Buffer[] = []
  const manifest = { head, files: new Map(files.map((file) => [file.path, file])), folders }
  for await (const part of encodeManifest(manifest)) parts.push(part)
  return parts
}

describe('a file that no manifest can hold is found before it is in one', () => {
  test.each([
    ['a path that leads elsewhere', { path: 'vaults/../x' }],
    ['a path that is too long', { path: `vaults/${'a'.repeat(5000)}` }],
    ['a time that is no number', { mtimeMs: Number.NaN }],
    ['a size beyond the exact numbers', { size: 2 ** 60 }],
    ['a mode with more than permissions', { mode: 0o4755 }],
    ['other bytes than its pieces have', { size: 10, pieces: [[chunk, 0, 9]] as FileEntry['pieces'] }],
  ])('%s', (_case, changed) => expect(fitsManifest(entry(changed))).toBe(false))

  test.each([
    ['a time before 1970', { mtimeMs: -372988800500 }],
    ['a time of no calendar', { mtimeMs: 9.223372036854776e21 }],
    ['a backslash', { path: 'vaults/v/a\\b.md' }],
  ])('but it holds %s', async (_case, changed) => {
    expect(fitsManifest(entry(changed))).toBe(true)
    const { files } = await decodeManifest(await partsOf([entry(changed)]))
    expect([...files.values()]).toEqual([entry(changed)])
  })
})

test('the parts of a manifest fit into chunks, however many pieces a file has', async () => {
  verifies('backup.always-restorable')
  const pieces: FileEntry['pieces'] = Array.from({ length: 60_000 }, (_, at) => [chunk, at % 4096, 2 * 1024 * 1024])
  const size = pieces.length * 2 * 1024 * 1024
  const wide = Array.from({ length: 900 }, (_, nth) => entry({ path: `vaults/v/${'語'.repeat(900)}${nth}` }))
  const files = [...wide, entry({ path: 'vaults/v/film', size, pieces }), entry({ path: 'vaults/v/z' })]
  const parts = await partsOf(files)
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(MAX_CHUNK_BYTES)
  const decoded = await decodeManifest(parts)
  expect([...decoded.files.values()]).toEqual(files)
})

test('more entries than a restore accepts are refused before the first of them is written', async () => {
  const files = { size: 2_000_001 } as Manifest['files']
  await expect(encodeManifest({ head, files, folders: [] }).next()).rejects.toMatchObject({ code: 'payload_too_large' })
})

test('further pieces without a file are refused', async () => {
  const [whole] = await partsOf([])
  const [first, ...rest] = whole!.toString().split('\n')
  const text = [first, JSON.stringify({ more: [[chunk, 0, 1]] }), ...rest].join('\n')
  await expect(decodeManifest([Buffer.from(text)])).rejects.toMatchObject({ details: { reason: 'ManifestInvalid' } })
})
