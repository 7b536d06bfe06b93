import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { beginListing, beginRemoteListing, listFolder, type BeginListing } from './list-folder.ts'
import { listVault } from './list-vault.ts'
import { slices } from './slices.ts'

let root: string
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'svc-list-')))
  for (const folder of ['a/deep', 'b', 'c', 'd', '.hidden']) await mkdir(join(root, folder), { recursive: true })
  for (const file of ['top.md', 'a/one.md', 'a/deep/two.md', 'b/three.md', 'd/four.png', '.hidden/no.md'])
    await writeFile(join(root, file), file)
  await symlink(join(root, 'a'), join(root, 'link'))
})
afterAll(() => rm(root, { recursive: true }))

/** Lists the vault; returns the calls to the manifest and the watches, in order. */
async function told(begin: BeginListing, signal = new AbortController().signal, away = 'none'): Promise<string[]> {
  const events: string[] = []
  await listVault(
    {
      root,
      begin,
      watch: (folder) => events.push(`watch ${folder}`),
      onUnreadable: (folder) => events.push(`unreadable ${folder}`),
      manifest: {
        listed: async (folder, files) => void events.push(`list ${folder}: ${[...files.keys()].sort().join()}`),
        keep: async (folder) => void events.push(`keep ${folder}`),
        rememberedIn: () => [],
      },
      away: { isAway: async (folder) => folder === away },
      signal,
    },
    slices(signal),
  )
  return events
}

const LISTED = [
  'list : top.md',
  'list a: one.md',
  'list a/deep: two.md',
  'list b: three.md',
  'list c: ',
  'list d: four.png',
]

test.each([
  ['of this machine', beginListing],
  ['of another machine', beginRemoteListing],
])('every folder of a disk %s is listed once, in order, and watched before it is read', async (_, begin) => {
  const read: string[] = []
  const events = await told((inRoot, folder) => {
    read.push(folder)
    return begin(inRoot, folder)
  })
  expect(events.filter((event) => event.startsWith('list'))).toEqual(LISTED)
  expect(events.filter((event) => event.startsWith('watch'))).toEqual(read.map((folder) => `watch ${folder}`))
  expect(new Set(read).size).toBe(LISTED.length)
})

test('a folder that cannot be read is kept, and one that is gone meanwhile is empty', async () => {
  const events = await told((inRoot, folder) => {
    if (folder === 'b') return () => Promise.reject(new Error('it cannot be read'))
    return beginListing(inRoot, folder === 'c' ? 'gone' : folder)
  })
  expect(events).toContain('unreadable b')
  expect(events).toContain('keep b')
  expect(events).toContain('list c: ')
  expect(events).not.toContain('list b: three.md')
})

test('a folder whose disk is away is kept, and not looked into', async () => {
  const events = await told(beginListing, new AbortController().signal, 'a')
  expect(events.filter((event) => event.startsWith('keep'))).toEqual(['keep a'])
  expect(events.filter((event) => event.startsWith('list a'))).toEqual([])
  expect(events).toContain('list b: three.md')
})

test('a root that cannot be read ends the listing, and so does the close of the vault', async () => {
  await expect(told(() => () => Promise.reject(new Error('it cannot be read')))).rejects.toThrow('it cannot be read')
  await expect(told(beginListing, AbortSignal.abort(new Error('closed')))).rejects.toThrow('closed')
})

test('a link in the place of a folder is not followed', async () => {
  expect(await listFolder(root, 'link')).toBeUndefined()
  expect(await beginListing(root, 'link')(slices())).toBeUndefined()
})

test('a vault that is not at its place is not taken for an empty one', async () => {
  const gone: BeginListing = (inRoot) => beginListing(inRoot, 'gone')
  await expect(told(gone)).rejects.toMatchObject({ code: 'not_found' })
})
