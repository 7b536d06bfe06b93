import { mkdir, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeFolder } from '../../test/support/remove-folder.ts'
import { FORMAT } from './archive-format.ts'
import { unpackArchive } from './archive-reader.ts'
import { ArchiveWriter } from './archive-writer.ts'

const BLOCK = 512

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-archive-'))
})
afterEach(() => removeFolder(folder))

/** A backup of one folder with three files, as it lies on the disk. */
async function makeArchive(): Promise<Buffer> {
  const file = join(folder, 'archive')
  const archive = new ArchiveWriter(file)
  const createdAt = '2026-01-01T00:00:00.000Z'
  await archive.addHeader({
    product: 'svc-platform',
    format: FORMAT,
    id: 'a',
    createdAt,
    postgres: '17',
    architecture: 'x64',
  })
  await archive.addDirectory('data', await stat(folder, { bigint: true }))
  for (const size of [0, 700, 40_000]) await archive.addBytes(`data/${size}`, 'x'.repeat(size))
  await archive.finish()
  return readFile(file)
}

async function unpack(bytes: Buffer): Promise<string> {
  const file = join(folder, 'given')
  const target = join(folder, 'target')
  await writeFile(file, bytes)
  await removeFolder(target)
  await mkdir(target)
  try {
    await unpackArchive({
      file,
      onHeader: () => {},
      placeOf: (segments) => join(target, ...segments),
      onProgress: () => {},
    })
    return 'unpacked'
  } catch (error) {
    return (error as Error).message
  }
}

test('an archive is unpacked as it was written', async () => {
  expect(await unpack(await makeArchive())).toBe('unpacked')
  expect(await readFile(join(folder, 'target/data/700'), 'utf8')).toBe('x'.repeat(700))
})

test('an archive that ends early is refused, wherever it ends', async () => {
  const bytes = await makeArchive()
  for (let end = 0; end < bytes.length; end += 7)
    expect(await unpack(bytes.subarray(0, end)), `${end} bytes`).toMatch(/cannot be restored/)
  const tar = gunzipSync(bytes)
  const last = tar.length - 2 * BLOCK // two empty blocks end an archive
  for (let end = 0; end < last; end += BLOCK / 2)
    expect(await unpack(gzipSync(tar.subarray(0, end))), `${end} bytes of the tar`).toMatch(/cannot be restored/)
})

test('an archive with a damaged block is refused', async () => {
  const tar = gunzipSync(await makeArchive())
  for (let at = 0; at < tar.length - 2 * BLOCK; at += BLOCK) {
    const damaged = Buffer.from(tar)
    damaged[at] = damaged.readUInt8(at) ^ 0xff
    expect(await unpack(gzipSync(damaged)), `block at ${at}`).toMatch(/cannot be restored/)
  }
})
