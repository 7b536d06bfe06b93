import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DaemonHealth } from '@svc/shared/wire/daemon/daemon.api.ts'
import { HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { verifies } from '../requirements.ts'
import { atOnce } from '../support/at-once.ts'
import { liveClient, type LiveClient } from '../support/live-client.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { call, newHome, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

let home: string
let daemon: Svcd
let typing: LiveClient | undefined
let ours: string
beforeEach(async () => {
  home = await newHome()
  await mkdir(at('ours'), { recursive: true })
  daemon = await startSvcd({ home })
  await until('it is read', isRead)
  await write('ours', 'plan.md', 'ours\n')
  ours = (await identityOf('ours'))!
})
afterEach(async () => {
  typing?.close()
  typing = undefined
  await daemon.remove()
  await removeFolder(home)
})

const at = (...parts: string[]) => join(home, 'vaults', ...parts)
const api = (vault: string, path: string, options?: Parameters<typeof call>[2]) =>
  call(daemon, `/api/vaults/${vault}${path}`, options)
const isRead = async () => (await call(daemon, '/api/ready')).status === 200
const refused = async () => DaemonHealth.parse((await call(daemon, '/api/health')).body).status.refusedVaults
const put = (vault: string, path: string, content: string) =>
  api(vault, `/notes/${path}`, { method: 'PUT', headers: { 'if-none-match': '*' }, json: { content } })
const identityOf = async (vault: string) =>
  ((await api(vault, '')).body as { vault?: { identity: string } }).vault?.identity

async function write(vault: string, path: string, content: string): Promise<void> {
  expect((await put(vault, path, content)).status).toBe(201)
  expect((await api(vault, '/ops/flush', { method: 'POST' })).status).toBe(200)
}

async function revisionsOf(vault: string, path: string): Promise<string[]> {
  const { body } = await api(vault, `/history/${path}`)
  return HistoryAnswer.safeParse(body).data?.revisions?.map(({ author }) => author.id) ?? []
}

/** Another directory without an identity, as a clone makes it, takes the place of the vault at once. */
async function replace(to: string): Promise<void> {
  await mkdir(join(home, 'stranger'))
  for (const note of ['plan.md', 'secret.md']) await writeFile(join(home, 'stranger', note), 'by a stranger\n')
  await atOnce(daemon.process, async () => {
    await rename(at('ours'), to)
    await rename(join(home, 'stranger'), at('ours'))
  })
}

async function expectUntouched(): Promise<void> {
  expect((await readdir(at('ours'))).filter((name) => name !== '.svc')).toEqual(['plan.md', 'secret.md'])
  expect(await readFile(at('ours/plan.md'), 'utf8')).toBe('by a stranger\n')
}

test('a directory without an identity that takes the place of a vault is a new vault, and the vault is served beside it', async () => {
  verifies('vault.own-data', 'vault.at-runtime')
  typing = liveClient({ url: () => daemon.url, path: 'plan.md', vaultId: 'ours' })
  await typing.shows((text) => text.includes('ours'))
  typing.type('typed but not saved\n')
  await replace(at('ours.old'))
  await until('the vault is served under its other name', async () => (await identityOf('ours.old')) === ours)
  await until('the stranger is served', async () => ![undefined, ours].includes(await identityOf('ours')))
  await until('both are read', isRead)
  typing.close()

  await expectUntouched()
  const text = async () => (await api('ours.old', '/notes/plan.md')).text
  await until('the vault has what was typed in it', async () => (await text()).includes('typed but not saved'))
  expect(await text()).not.toContain('stranger')
  expect((await revisionsOf('ours.old', 'plan.md')).filter((author) => author === 'outside')).toEqual([])
  expect(await revisionsOf('ours.old', 'secret.md')).toEqual([])
  await until('the history of the stranger has begun', async () => (await revisionsOf('ours', 'plan.md')).length > 0)
  expect(await revisionsOf('ours', 'plan.md')).toEqual(['outside'])
  await until('nothing is refused', async () => (await refused()) === undefined)
})

test('nothing is written into the mount point of a vault whose disk is away, and the vault is served when it is back', async () => {
  verifies('watch.nothing-lost')
  typing = liveClient({ url: () => daemon.url, path: 'plan.md', vaultId: 'ours' })
  await typing.shows((text) => text.includes('ours'))
  await atOnce(daemon.process, async () => {
    await rename(at('ours'), join(home, 'mounted'))
    await mkdir(at('ours'))
  })
  await until('it is named', async () => (await refused())?.[0]?.name === 'ours')
  typing.type('typed meanwhile\n')

  const saved = await put('ours', 'lost.md', 'into the mount point\n')
  expect([saved.status, saved.body]).toMatchObject([503, { error: { code: 'vault_closing' } }])
  const folder = await api('ours', '/folders', { json: { path: 'lost' } })
  expect(folder.status).toBeGreaterThanOrEqual(400)
  expect(await readdir(at('ours'))).toEqual([])

  await rm(at('ours'), { recursive: true })
  await rename(join(home, 'mounted'), at('ours'))
  await until('nothing is refused', async () => (await refused()) === undefined)
  await until('it is served', async () => (await identityOf('ours')) === ours)
  expect((await put('ours', 'kept.md', 'on the disk\n')).status).toBe(201)
  expect(await readdir(at('ours'))).toEqual(expect.arrayContaining(['.svc', 'kept.md', 'plan.md']))
})

test('a directory that took the place of a vault gets nothing of it at the next start, also if vaults came meanwhile', async () => {
  verifies('vault.own-data')
  await replace(join(home, 'away'))
  await until('it is named', async () => (await refused())?.[0]?.name === 'ours')
  const made = await call(daemon, '/api/vaults', { json: { displayName: 'Made', slug: 'made' } })
  expect(made.status).toBe(201)
  await daemon.stop()
  await expectUntouched()

  await daemon.restart()
  await until('both are read', isRead)
  expect([undefined, ours]).not.toContain(await identityOf('ours'))
  await until('its history has begun', async () => (await revisionsOf('ours', 'plan.md')).length > 0)
  expect(await revisionsOf('ours', 'plan.md')).toEqual(['outside'])
})
