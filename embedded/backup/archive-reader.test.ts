import { chmod, lstat, mkdir, mkdtemp, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifies } from '../../test/requirements.ts'
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

/** A backup with these entries, as it lies on the disk. */
async function archiveOf(fill: (archive: ArchiveWriter) => Promise<void>): Promise<Buffer> {
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
  await fill(archive)
  await archive.finish()
  return readFile(file)
}

const makeArchive = () =>
  archiveOf(async (archive) => {
    for (const size of [0, 700, 40_000]) await archive.addBytes(`data/${size}`, 'x'.repeat(size))
  })

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

/** Adds entries of one name, as a copy that is repeated while somebody else changes it. */
function entriesOf(archive: ArchiveWriter, name: string) {
  const source = join(folder, 'source')
  return {
    file: () => archive.addBytes(name, 'the file'),
    async link(target: string) {
      await removeFolder(source)
      await symlink(target, source)
      await archive.addLink(name, source)
    },
    async folder(mode: number) {
      await removeFolder(source)
      await mkdir(source)
      await chmod(source, mode)
      await archive.addDirectory(name, await lstat(source, { bigint: true }))
    },
  }
}

type Entries = ReturnType<typeof entriesOf>
const OUTSIDE_MODE = 0o711

/** What lies at a path: the content of a file, the target of a link or the mode of a folder. */
async function seen(path: string): Promise<string | number> {
  const found = await lstat(path)
  if (found.isSymbolicLink()) return readlink(path)
  return found.isDirectory() ? found.mode & 0o777 : readFile(path, 'utf8')
}

test.each<{ change: string; add: (one: Entries, archive: ArchiveWriter) => Promise<void>; last: string | number }>([
  {
    change: 'a link became a file',
    add: async ({ link, file }) => {
      await link('../outside')
      await file()
    },
    last: 'the file',
  },
  {
    change: 'a link became a folder',
    add: async ({ link, folder }) => {
      await link('../outside')
      await folder(0o750)
    },
    last: 0o750,
  },
  {
    change: 'a folder became a link',
    add: async ({ folder, link }) => {
      await folder(0o755)
      await link('../../outside')
    },
    last: '../../outside',
  },
  {
    change: 'a folder with a file became a file',
    add: async ({ folder, file }, archive) => {
      await folder(0o755)
      await archive.addBytes('data/one/below', 'x')
      await file()
      archive.forget('data/one/below')
    },
    last: 'the file',
  },
  {
    change: 'a link got another target',
    add: async ({ link }) => {
      await link('../outside')
      await link('elsewhere')
    },
    last: 'elsewhere',
  },
  {
    change: 'a folder got another mode',
    add: async ({ folder }) => {
      await folder(0o755)
      await folder(0o700)
    },
    last: 0o700,
  },
])('the last entry of a name counts: $change', async ({ add, last }) => {
  verifies('embedded.backup', 'embedded.restore-safe')
  const outside = join(folder, 'outside')
  await mkdir(outside)
  await chmod(outside, OUTSIDE_MODE)
  const bytes = await archiveOf((archive) => add(entriesOf(archive, 'data/one'), archive))
  expect(await unpack(bytes)).toBe('unpacked')
  expect(await seen(join(folder, 'target/data/one'))).toBe(last)
  expect(await seen(outside)).toBe(OUTSIDE_MODE)
})

test.each(['link', 'folder'] as const)('a %s that would lie behind a link is refused', async (kind) => {
  verifies('embedded.restore-safe')
  const outside = join(folder, 'outside')
  await mkdir(join(outside, 'two'), { recursive: true })
  await chmod(join(outside, 'two'), OUTSIDE_MODE)
  const bytes = await archiveOf(async (archive) => {
    const [one, two] = [entriesOf(archive, 'data/one'), entriesOf(archive, 'data/one/two')]
    if (kind === 'folder') await two.folder(0o777)
    await one.link('../../outside')
    if (kind === 'link') await two.link('elsewhere')
  })
  expect(await unpack(bytes)).toMatch(/cannot be restored/)
  expect(await seen(join(outside, 'two'))).toBe(OUTSIDE_MODE)
})
