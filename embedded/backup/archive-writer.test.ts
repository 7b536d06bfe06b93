import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeFolder } from '../../test/support/remove-folder.ts'
import { ArchiveWriter } from './archive-writer.ts'

const MB = 1024 * 1024

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-archive-'))
})
afterEach(() => removeFolder(folder))

test('when the archive cannot be written, every entry fails with the cause', async () => {
  const large = join(folder, 'large')
  await writeFile(large, Buffer.alloc(16 * MB, 'x'))
  const archive = new ArchiveWriter(join(folder, 'missing/archive'))
  await expect(archive.addFile('large', large)).rejects.toThrow('ENOENT')
  await expect(archive.addBytes('small', 'text')).rejects.toThrow('ENOENT')
  await expect(archive.finish()).rejects.toThrow('ENOENT')
  await archive.abort()
})

test('a failure that meets an entry half written is reported once, with its cause', async () => {
  const archive = new ArchiveWriter(join(folder, 'missing/archive'))
  const first = archive.addBytes('first', 'x'.repeat(16 * MB)) // starts before the archive is opened
  await expect(first.then(() => archive.finish())).rejects.toThrow('ENOENT')
  await archive.abort()
})

test('an entry that is being written fails when the archive is given up', async () => {
  const large = join(folder, 'large')
  await writeFile(large, Buffer.alloc(16 * MB, 'x'))
  const archive = new ArchiveWriter(join(folder, 'archive'))
  const adding = expect(archive.addFile('large', large)).rejects.toThrow('given up')
  while (archive.bytes === 0) await setImmediate()
  await archive.abort()
  await adding
})
