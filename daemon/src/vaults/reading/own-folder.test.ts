import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ownFolder } from './own-folder.ts'

let home: string
let root: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-own-folder-'))
  root = join(home, 'notes')
  await make(root, 'ours')
})
afterEach(() => rm(home, { recursive: true, force: true }))

async function make(folder: string, identity: string): Promise<void> {
  await mkdir(join(folder, '.svc'), { recursive: true })
  const file = { format: 1, identity, id: 'notes', displayName: 'notes', createdAt: '2026' }
  await writeFile(join(folder, '.svc/vault.json'), JSON.stringify(file))
}

test('a directory without an identity in the place of a vault is not the vault, until the vault is back', async () => {
  const own = await ownFolder({ root, identity: 'ours' })
  expect(await own.isReplaced()).toBe(false)
  await rename(root, join(home, 'away'))
  expect(await own.isReplaced()).toBe(false)
  await mkdir(root)
  expect(await own.isReplaced()).toBe(true)
  await expect(own.refuseReplaced()).rejects.toMatchObject({ code: 'vault_closing' })

  await rm(root, { recursive: true })
  await rename(join(home, 'away'), root)
  expect(await own.isReplaced()).toBe(false)
})

test('a vault that has lost its identity file is still in its folder, and one from a backup is the same vault', async () => {
  const own = await ownFolder({ root, identity: 'ours' })
  await rm(join(root, '.svc/vault.json'))
  expect(await own.isReplaced()).toBe(false)

  await rename(root, join(home, 'away'))
  await make(root, 'ours')
  expect(await own.isReplaced()).toBe(false)
  await rm(join(root, '.svc/vault.json'))
  expect(await own.isReplaced()).toBe(false)
})

test('another vault that got the inode number of the removed one is another vault', async () => {
  const own = await ownFolder({ root, identity: 'ours' })
  const markNow = async () => {
    const { ino, birthtimeMs } = await stat(root)
    return `${ino} ${birthtimeMs}`
  }
  const mark = await markNow()
  // The clock of a file system may stand still for some milliseconds.
  do {
    await rm(root, { recursive: true })
    await make(root, 'a stranger')
  } while ((await markNow()) === mark)
  expect(await own.isReplaced()).toBe(true)
})
