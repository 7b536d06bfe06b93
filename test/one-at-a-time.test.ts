import { existsSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { oneAtATime } from '../setup/one-at-a-time.mjs'
import { verifies } from './requirements.ts'
import { removeFolder } from './support/remove-folder.ts'

let folder: string
let lock: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-setup-'))
  lock = join(folder, 'lock')
})
afterEach(async () => {
  await removeFolder(folder)
})

test('two starts of one clone install one after the other, and the lock of a dead process is ignored', async () => {
  verifies('embedded.one-platform')
  await writeFile(lock, '999999999')
  let inside = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, ++inside)
    await new Promise((resolve) => setTimeout(resolve, 20))
    inside -= 1
  }
  await Promise.all([1, 2, 3].map(() => oneAtATime(lock, work)))
  expect(most).toBe(1)
  await expect(oneAtATime(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(existsSync(lock)).toBe(false)
})
