import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TrashList } from '@svc/shared/wire/daemon/daemon-trash.api.ts'
import { verifies } from '../requirements.ts'
import { call, newHome, startSvcd, type Svcd } from '../support/svcd.ts'

const TIMES = 8
const V = '/api/vaults/v'

let daemon: Svcd
beforeEach(async () => {
  const home = await newHome()
  await mkdir(join(home, 'vaults/v'), { recursive: true })
  daemon = await startSvcd({ home })
})
afterEach(() => daemon.remove())

const entries = async () => TrashList.parse((await call(daemon, `${V}/trash`)).body).entries
const restore = (id: string, path?: string) => call(daemon, `${V}/trash/${id}/restore`, { json: path ? { path } : {} })
const purge = (id: string) => call(daemon, `${V}/trash/${id}`, { method: 'DELETE' })

test.each([
  { kind: 'a note', route: 'notes', path: 'a.md', file: 'a.md' },
  { kind: 'an attachment', route: 'attachments', path: 'a.png', file: 'a.png' },
  { kind: 'a folder', route: 'folders', path: 'f', file: 'f/a.md' },
])('$kind is restored or deleted for good, but not both, however close the two come', async ({ route, path, file }) => {
  verifies('vault.soft-delete', 'security.purged-history')
  for (let time = 0; time < TIMES; time++) {
    await mkdir(dirname(daemon.file('v', file)), { recursive: true })
    await writeFile(daemon.file('v', file), 'text\n')
    expect((await call(daemon, `${V}/${route}/${path}`, { method: 'DELETE' })).status).toBe(200)
    const id = (await entries())[0]!.id
    const both = [() => restore(id), () => purge(id)]
    if (time % 2 === 1) both.reverse()
    const answers = await Promise.all(both.map((send) => send()))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404])
    const isRestored = 'path' in answers.find(({ status }) => status === 200)!.body
    expect(existsSync(daemon.file('v', file))).toBe(isRestored)
    expect(await entries()).toEqual([])
    if (!isRestored) continue
    await call(daemon, `${V}/${route}/${path}`, { method: 'DELETE' })
    await purge((await entries())[0]!.id)
  }
})

test('of two that delete an entry for good, or restore it to two places, one does', async () => {
  verifies('vault.soft-delete')
  for (const send of [purge, (id: string, turn: number) => restore(id, `${turn}.md`)]) {
    await writeFile(daemon.file('v', 'a.md'), 'text\n')
    expect((await call(daemon, `${V}/notes/a.md`, { method: 'DELETE' })).status).toBe(200)
    const id = (await entries())[0]!.id
    const answers = await Promise.all([1, 2].map((turn) => send(id, turn)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404])
  }
  expect(['1.md', '2.md'].filter((path) => existsSync(daemon.file('v', path)))).toHaveLength(1)
})
