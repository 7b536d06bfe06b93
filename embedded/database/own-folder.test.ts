import { chown, lstat, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifies } from '../../test/requirements.ts'
import { ForeignFolder, ownFolder } from './own-folder.ts'

let base: string

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'svc-own-'))
})
afterEach(async () => {
  await rm(base, { recursive: true, force: true })
})

test('makes a folder of this mode, and closes one of ours that was open', async () => {
  const path = join(base, 'socket')
  await ownFolder(path, { mode: 0o700 })
  expect((await lstat(path)).mode & 0o777).toBe(0o700)

  await mkdir(join(base, 'open'), { mode: 0o755 })
  await ownFolder(join(base, 'open'), { mode: 0o700 })
  expect((await lstat(join(base, 'open'))).mode & 0o777).toBe(0o700)
})

test('refuses a link to a folder, and a file', async () => {
  verifies('embedded.socket-folder')
  await mkdir(join(base, 'elsewhere'), { mode: 0o755 })
  await symlink(join(base, 'elsewhere'), join(base, 'link'))
  await expect(ownFolder(join(base, 'link'), { mode: 0o700 })).rejects.toBeInstanceOf(ForeignFolder)
  expect((await lstat(join(base, 'elsewhere'))).mode & 0o777).toBe(0o755)
})

test('refuses a folder that another user made', async () => {
  verifies('embedded.socket-folder')
  // A process that may not change owners uses a folder of root instead.
  const foreign = process.getuid?.() === 0 ? join(base, 'foreign') : '/var/lib'
  if (process.getuid?.() === 0) {
    await mkdir(foreign)
    await chown(foreign, 65_534, 65_534)
  }
  await expect(ownFolder(foreign, { mode: 0o700 })).rejects.toBeInstanceOf(ForeignFolder)
})
