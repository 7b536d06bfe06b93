import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { MAX_LISTED_NEWS } from '@svc/shared/wire/daemon/daemon-news.api.ts'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { systemDisk } from '../files/disk/disk.ts'
import { readNoteFacts } from '../markdown/note-facts.ts'
import type { VaultChange } from '../vaults/vault-change.ts'
import type { Vault } from '../vaults/vault.ts'
import { followNews } from './follow-news.ts'

let folder: string
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'svc-follow-news-'))))
afterEach(() => removeFolder(folder))

function created(path: string): VaultChange {
  const bytes = Buffer.from(path)
  const { tags, properties, ...facts } = readNoteFacts(path, bytes, path)
  const content = { facts, tags, properties, bytes, text: path }
  const stamp = { size: bytes.length, mtimeMs: 1, ctimeMs: 1, ino: 1 }
  return { kind: 'created', path, stamp, content, origin: { kind: 'outside' } }
}

test('after a change of very many notes, all are counted and the newest are kept, until the next change', async () => {
  // Each reading of the clock is later than the one before.
  let now = 0
  const clock = { ...systemClock, now: () => new Date(++now) }
  const news = followNews({ folder, disk: systemDisk, clock, log: createLog({ service: 'test', level: 'silent' }) })
  const vault = news.follow({ id: 'v', root: '/v', manifest: {} as Vault['manifest'] })
  const { newsFor } = news.of({ id: 'v' })
  expect(await newsFor('usr_ann')).toMatchObject({ notes: 0, newest: [] })

  const many = MAX_LISTED_NEWS + 500
  for (let nth = 1; nth <= many; nth++) vault.changed(created(`${nth}.md`))
  const found = await newsFor('usr_ann')
  expect([found.notes, found.newest.length, found.newest[0]!.path]).toEqual([many, MAX_LISTED_NEWS, `${many}.md`])
  expect(found.by).toMatchObject([{ notes: many }])
  expect(await newsFor('usr_ann')).toBe(found)

  vault.changed(created('last.md'))
  expect((await newsFor('usr_ann')).newest[0]!.path).toBe('last.md')
  await vault.close!()
})
