import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fail } from '@svc/shared/wire/errors.ts'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { systemDisk, type Disk } from '../files/disk/disk.ts'
import { createFileRoot } from '../files/file-root.ts'
import type { Vault } from '../vaults/vault.ts'
import { createTrash } from './trash.ts'

const ENTRIES = 200
const trash = createTrash({ historyOf: () => expect.fail('asked for the history') })
let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-trash-'))
  for (let number = 0; number < ENTRIES; number++) {
    const folder = join(root, '.svc/trash', `id-${number}`)
    const entry = { path: `${number}.md`, kind: 'note', deletedAt: '2026-01-01T00:00:00Z', deletedBy: 'owner' }
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'entry.json'), JSON.stringify({ ...entry, rescued: true }))
    await writeFile(join(folder, 'content'), 'text')
  }
})
afterAll(() => removeFolder(root))

/** A vault, and the number of entries that were read in it. `onRead` is called before each. */
function vaultWith(onRead: (count: number) => void) {
  let count = 0
  const disk: Disk = {
    ...systemDisk,
    lstat: (path) => {
      if (path.endsWith('/content')) onRead(++count)
      return systemDisk.lstat(path)
    },
  }
  const vault = { files: createFileRoot({ path: root, disk, reservedBytes: 0 }) } as Vault
  return { vault, count: () => count }
}

test('entries are listed from the newest to the oldest, without what only the daemon needs', async () => {
  const { vault, count } = vaultWith(() => {})
  const { entries, nextCursor } = await trash.list(vault, { limit: 1000 }, new AbortController().signal)
  const ids = Array.from({ length: ENTRIES }, (_, number) => `id-${number}`)
  expect(entries.map(({ id }) => id)).toEqual(ids.toSorted().toReversed())
  expect(entries[0]).not.toHaveProperty('rescued')
  expect([count(), nextCursor]).toEqual([ENTRIES, undefined])
})

test('a page reads its own entries alone, and pages join without a gap, whatever else is in the folder', async () => {
  await mkdir(join(root, '.svc/trash/Not an entry'))
  await mkdir(join(root, '.svc/trash/id-500-empty'))
  const { vault, count } = vaultWith(() => {})
  const found: string[] = []
  let cursor: string | undefined
  do {
    const before = count()
    const page = await trash.list(vault, { limit: 60, cursor }, new AbortController().signal)
    expect(count() - before).toBeLessThanOrEqual(60)
    found.push(...page.entries.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  const ids = Array.from({ length: ENTRIES }, (_, number) => `id-${number}`)
  expect(found).toEqual(ids.toSorted().toReversed())
  const last = await trash.list(vault, { limit: 60, cursor: found.at(-1) }, new AbortController().signal)
  expect(last).toEqual({ entries: [] })
})

test('the reading of a trash ends when nobody waits for it any more', async () => {
  const left = new AbortController()
  const { vault, count } = vaultWith((read) => {
    if (read === 20) left.abort(fail('stream_reset'))
  })
  await expect(trash.list(vault, { limit: 1000 }, left.signal)).rejects.toMatchObject({ code: 'stream_reset' })
  // The entries that were just being read.
  expect(count()).toBeLessThan(30)
})
