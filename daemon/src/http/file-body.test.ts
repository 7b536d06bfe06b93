import { mkdtemp, open, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { fileBody } from './file-body.ts'

const BYTES = 1024 * 1024

async function opened() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-file-body-'))
  onTestFinished(() => removeFolder(folder))
  const path = join(folder, 'file')
  await writeFile(path, Buffer.alloc(BYTES, 'x'))
  return { path, handle: await open(path) }
}

test('a part of a file is sent byte for byte', async () => {
  const { handle } = await opened()
  const chunks = await fileBody(handle, { start: 10, end: BYTES - 1 }).toArray()
  expect(Buffer.concat(chunks as Buffer[]).equals(Buffer.alloc(BYTES - 10, 'x'))).toBe(true)
})

test('a file that is cut short while it is sent fails', async () => {
  const { path, handle } = await opened()
  const read = async () => {
    let bytes = 0
    for await (const chunk of fileBody(handle, { start: 0, end: BYTES - 1 })) {
      bytes += (chunk as Buffer).length
      await truncate(path, BYTES / 2)
    }
    return bytes
  }
  await expect(read()).rejects.toThrow('became shorter')
})

test('a body that nobody reads closes the file', async () => {
  const { handle } = await opened()
  fileBody(handle, { start: 0, end: BYTES - 1 }).destroy()
  await expect.poll(() => handle.fd).toBe(-1)
})
