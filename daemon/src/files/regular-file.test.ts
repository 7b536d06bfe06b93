import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { openFile } from './open-file.ts'
import { createFileSync, openRegularFileSync } from './open-sync.ts'
import { NotRegularFile, openToAppend, readNamedFile, readOwnFile } from './regular-file.ts'

let folder: string
const socket = createServer()
const at = (name: string) => join(folder, name)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-regular-'))
  await writeFile(at('file'), 'text')
  await symlink('file', at('link'))
  await mkdir(at('folder'))
  execFileSync('mkfifo', [at('fifo')])
  await once(socket.listen(at('socket')), 'listening')
})
afterAll(async () => {
  socket.close()
  await rm(folder, { recursive: true, force: true })
})

describe.each(['link', 'folder', 'fifo', 'socket'])('a %s', (name) => {
  test('is refused as a file of our own, without waiting', async () => {
    verifies('security.regular-files')
    await expect(readOwnFile(at(name))).rejects.toThrow(NotRegularFile)
    await expect(openToAppend(at(name))).rejects.toThrow(NotRegularFile)
    expect(() => openRegularFileSync(at(name))).toThrow(NotRegularFile)
    expect(() => createFileSync(at(name))).toThrow(/EEXIST/)
  })
  test('is no file of a vault', () => expect(openFile(folder, name)).rejects.toMatchObject({ code: 'not_found' }))
})

test('a file of our own is read and appended to, and may be missing', async () => {
  const handle = await openToAppend(at('own'))
  await handle.writeFile('one')
  await handle.close()
  expect([await readOwnFile(at('own')), await readOwnFile(at('none'))]).toEqual(['one', undefined])
})

test('a file that the configuration names may be a link, but nothing else', async () => {
  expect(await readNamedFile(at('link'))).toBe('text')
  await expect(readNamedFile(at('fifo'))).rejects.toThrow(NotRegularFile)
})
