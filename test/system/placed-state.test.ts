import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
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
beforeEach(async () => {
  home = await newHome()
  await mkdir(at('ours'), { recursive: true })
  // So that no demo vault is made while the other one is away.
  await mkdir(at('other'))
  daemon = await startSvcd({ home })
})
afterEach(async () => {
  typing?.close()
  typing = undefined
  await daemon.remove()
  await removeFolder(home)
})

const at = (...parts: string[]) => join(home, 'vaults', ...parts)
const away = () => join(home, 'away')
const api = (path: string, options?: Parameters<typeof call>[2]) => call(daemon, `/api/vaults/ours${path}`, options)
const isServed = async () => (await api('')).status === 200
const isRead = async () => (await call(daemon, '/api/ready')).status === 200

async function write(path: string, content: string): Promise<void> {
  const saved = await api(`/notes/${path}`, { method: 'PUT', headers: { 'if-none-match': '*' }, json: { content } })
  expect(saved.status).toBe(201)
  expect((await api('/ops/flush', { method: 'POST' })).status).toBe(200)
}

async function revisionsOf(path: string): Promise<string[]> {
  const { body } = await api(`/history/${path}`)
  return HistoryAnswer.safeParse(body).data?.revisions?.map(({ author }) => author.id) ?? []
}

/** The paths in the vault's audit; undefined while the vault is not served, as while another one takes its name. */
async function audited(): Promise<string[] | undefined> {
  const { status, body } = await api('/audit')
  if (status === 404) return undefined
  return (body as { entries: { path: string }[] }).entries.map(({ path }) => path)
}

/** A new vault under the name of the former one, with a note of the same path, as another program places it. */
async function makeStranger(): Promise<void> {
  const made = join(home, 'made')
  await mkdir(made)
  await writeFile(join(made, 'plan.md'), 'by a stranger\n')
  await rename(made, at('ours'))
}

/** Nothing of the former vault is known of the one that has its name. */
async function expectStranger(): Promise<void> {
  await until('the stranger is read', async () => (await isServed()) && (await isRead()))
  await until('its history has begun', async () => (await revisionsOf('plan.md')).length > 0)
  expect(await revisionsOf('plan.md')).toEqual(['outside'])
  expect((await api('/notes/plan.md')).body).toMatchObject({ note: { content: 'by a stranger\n' } })
  expect(await readFile(at('ours/plan.md'), 'utf8')).toBe('by a stranger\n')
  expect(await readdir(at('ours'))).toEqual(['.svc', 'plan.md'])
  expect(await audited()).toEqual([])
  expect((await api('/deleted')).text).not.toContain('secret.md')
  expect((await api('/history/secret.md')).text).not.toContain('local')
}

async function expectFormer(): Promise<void> {
  await until('the former vault is read', async () => (await isServed()) && (await isRead()))
  expect(await revisionsOf('secret.md')).toEqual(['local'])
  expect((await audited())?.toSorted()).toEqual(['plan.md', 'secret.md'])
}

test('a vault that gets the name of a former one while no daemon runs gets nothing of its data, which returns with it', async () => {
  verifies('vault.own-data')
  await write('secret.md', 'of the former vault\n')
  await write('plan.md', 'of the former vault\n')
  await daemon.stop()

  await rename(at('ours'), away())
  await makeStranger()
  await daemon.restart()
  await expectStranger()
  await daemon.stop()

  await rm(at('ours'), { recursive: true })
  await rename(away(), at('ours'))
  await daemon.restart()
  await expectFormer()
})

test('a vault that gets the name of a former one while the daemon runs gets nothing of its data, which returns with it', async () => {
  verifies('vault.own-data')
  await write('secret.md', 'of the former vault\n')
  await write('plan.md', 'of the former vault\n')

  await rename(at('ours'), away())
  await until('it is gone', async () => !(await isServed()))
  await makeStranger()
  await expectStranger()

  // Replaced at once, by a vault with an identity of its own.
  await rename(at('ours'), join(home, 'stranger'))
  await rename(away(), at('ours'))
  await until('the former vault is back', async () => (await audited())?.includes('secret.md') === true)
  await expectFormer()
})

test('text that was not saved in its note stays with its vault, and is in the note when the vault returns', async () => {
  verifies('vault.own-data')
  const former = 'of the former vault\n'
  await write('plan.md', former)
  // The daemon saves a second after the text is durable, so it may do so before it is killed.
  await until('it is killed before it saves the text', async () => {
    typing = liveClient({ url: () => daemon.url, path: 'plan.md', vaultId: 'ours' })
    await typing.shows((text) => text === former)
    typing.type('typed but not saved\n')
    await typing.reaches('saved', 'durable')
    await daemon.kill()
    typing.close()
    if ((await readFile(at('ours/plan.md'), 'utf8')) === former) return true
    await writeFile(at('ours/plan.md'), former)
    await daemon.restart()
    return false
  })

  await rename(at('ours'), away())
  await makeStranger()
  await daemon.restart()
  await until('the stranger is read', isRead)
  expect(await readFile(at('ours/plan.md'), 'utf8')).toBe('by a stranger\n')
  expect(await readdir(at('ours'))).toEqual(['.svc', 'plan.md'])
  await daemon.stop()

  const kept = (await readdir(join(home, 'daemon/live'))).filter((name) => name.startsWith('.kept-'))
  expect(kept).toHaveLength(1)
  await rm(at('ours'), { recursive: true })
  await rename(away(), at('ours'))
  await daemon.restart()
  await until('the former vault is read', isRead)
  await until('its text is in the note', async () =>
    (await readFile(at('ours/plan.md'), 'utf8')).includes('typed but not saved'),
  )
})

test('a home that is copied to another place keeps all its data, also that of a vault without an identity file', async () => {
  verifies('vault.own-data')
  await write('secret.md', 'of the former vault\n')
  await write('plan.md', 'of the former vault\n')
  await daemon.stop()

  // Every file and folder of the copy is another one than before.
  await cp(home, `${home}-copy`, { recursive: true })
  await removeFolder(home)
  await rename(`${home}-copy`, home)
  await daemon.restart()
  await expectFormer()
  await daemon.stop()

  await cp(home, `${home}-copy`, { recursive: true })
  await removeFolder(home)
  await rename(`${home}-copy`, home)
  await rm(at('ours/.svc'), { recursive: true })
  await daemon.restart()
  await expectFormer()
})

test('a vault that has lost its identity file but is still in its folder keeps its data', async () => {
  verifies('vault.own-data')
  await write('secret.md', 'of the former vault\n')
  await write('plan.md', 'of the former vault\n')
  await daemon.stop()
  await rm(at('ours/.svc/vault.json'))
  await daemon.restart()
  await expectFormer()
})

test('a vault that a request creates under the name of a former one gets nothing of its data', async () => {
  verifies('vault.own-data')
  await write('secret.md', 'of the former vault\n')
  await rename(at('ours'), away())
  await until('it is gone', async () => !(await isServed()))

  const made = await call(daemon, '/api/vaults', { json: { displayName: 'Ours', slug: 'ours' } })
  expect(made.status).toBe(201)
  await until('it is read', isRead)
  // Its own creation is the first entry, and the only one.
  expect((await api('/audit')).body).toMatchObject({ entries: [{ tool: 'create_vault', path: '' }] })
  expect((await api('/deleted')).text).not.toContain('secret.md')
  expect(await revisionsOf('secret.md')).toEqual([])
})

test('a vault whose name cannot be cleared of the data of a former one is not created', async () => {
  verifies('vault.own-data')
  const mounted = join(home, 'daemon/mounted')
  await rm(mounted, { recursive: true, force: true })
  // As a failing disk would: nothing can be listed in it.
  await writeFile(mounted, '')
  const create = () => call(daemon, '/api/vaults', { json: { displayName: 'Made', slug: 'made' } })
  const refused = await create()
  expect(refused.status).not.toBe(201)
  expect(refused.text).not.toContain('internal')
  expect(await readdir(at())).toEqual(['other', 'ours'])

  await rm(mounted)
  expect((await create()).status).toBe(201)
})

test('a vault whose data cannot move to its new name is not served, delays no other one, and returns with its former name', async () => {
  verifies('vault.own-data', 'vault.renamed-stopped')
  await write('secret.md', 'of the former vault\n')
  await write('plan.md', 'of the former vault\n')
  // Its folder may have this name, but its files of the daemon have longer ones.
  const long = 'n'.repeat(250)
  const isOtherServed = async () => (await call(daemon, '/api/vaults/other')).status === 200
  await rename(at('ours'), at(long))
  await until('this is said', () => daemon.output().includes('cannot be moved; tried again'))
  expect(await isOtherServed()).toBe(true)
  await rename(at(long), at('ours'))
  await expectFormer()
  await daemon.stop()

  await rename(at('ours'), at(long))
  await daemon.restart()
  expect(await isOtherServed()).toBe(true)
  expect((await call(daemon, `/api/vaults/${long}`)).status).toBe(404)
  await rename(at(long), at('ours'))
  await expectFormer()
})

test('a directory that has the name of kept data is no vault', async () => {
  verifies('vault.own-data')
  const { identity } = JSON.parse(await readFile(at('ours/.svc/vault.json'), 'utf8')) as { identity: string }
  await daemon.stop()
  await mkdir(at(`.kept-${identity}`))
  await daemon.restart()
  expect(await isServed()).toBe(true)
  expect((await call(daemon, `/api/vaults/.kept-${identity}`)).status).toBe(404)
  const refused = async () =>
    (await call(daemon, '/api/health')).text.includes('under which the data of vaults is kept')
  await until('it is named', refused)
  expect((await call(daemon, `/api/vaults/.kept-${identity}`)).status).toBe(404)
})

test('another vault that takes the place of an open one at once gets none of its text, and gives it none', async () => {
  verifies('vault.own-data')
  await write('plan.md', 'of the former vault\n')
  await mkdir(join(home, 'stranger/.svc'), { recursive: true })
  const file = { format: 1, identity: 'a-stranger', id: 'ours', displayName: 'ours', createdAt: '2026' }
  await writeFile(join(home, 'stranger/.svc/vault.json'), JSON.stringify(file))
  for (const note of ['plan.md', 'secret.md']) await writeFile(join(home, 'stranger', note), 'by a stranger\n')

  typing = liveClient({ url: () => daemon.url, path: 'plan.md', vaultId: 'ours' })
  await typing.shows((text) => text.includes('former'))
  typing.type('typed but not saved\n')
  await rename(at('ours'), away())
  await rename(join(home, 'stranger'), at('ours'))
  const identity = async () => ((await api('')).body as { vault?: { identity: string } }).vault?.identity
  await until('the stranger is served', async () => (await identity()) === 'a-stranger')
  await until('it is read', isRead)
  typing.close()
  expect(await readFile(at('ours/plan.md'), 'utf8')).toBe('by a stranger\n')

  await rename(at('ours'), join(home, 'stranger'))
  await rename(away(), at('ours'))
  await until('the former vault is back', async () => ![undefined, 'a-stranger'].includes(await identity()))
  await until('it is read', isRead)
  const text = async () => (await api('/notes/plan.md')).text
  await until('it has what was typed in it', async () => (await text()).includes('typed but not saved'))
  expect(await text()).not.toContain('stranger')
  expect(await revisionsOf('secret.md')).toEqual([])
  expect((await revisionsOf('plan.md')).filter((author) => author === 'outside')).toEqual([])
})

test('of a vault without its identity file and a copy with it, which come at once, only the copy is the former vault', async () => {
  verifies('vault.own-data', 'vault.at-runtime')
  await write('secret.md', 'of the former vault\n')
  await cp(at('ours'), join(home, 'copy'), { recursive: true })
  await rename(at('ours'), away())
  await until('it is gone', async () => !(await isServed()))
  await rm(join(away(), '.svc/vault.json'))
  await atOnce(daemon.process, async () => {
    await rename(away(), at('ours'))
    await rename(join(home, 'copy'), at('copied'))
  })

  const isCopyServed = async () => (await call(daemon, '/api/vaults/copied')).status === 200
  await until('both are served', async () => (await isServed()) && (await isCopyServed()))
  const identity = async (name: string) =>
    (JSON.parse(await readFile(at(name, '.svc/vault.json'), 'utf8')) as { identity: string }).identity
  expect(await identity('ours')).not.toBe(await identity('copied'))
  const audit = await call(daemon, '/api/vaults/copied/audit')
  expect((audit.body as { entries: unknown[] }).entries).toMatchObject([{ path: 'secret.md' }])
  expect(await audited()).toEqual([])
  await daemon.stop()
  await daemon.restart()
  expect(await isServed()).toBe(true)
})

test('vaults that swap their names while the daemon runs keep their data', async () => {
  verifies('vault.own-data', 'vault.at-runtime')
  await write('secret.md', 'of the former vault\n')
  await write('plan.md', 'of the former vault\n')
  await rename(at('ours'), away())
  await rename(at('other'), at('ours'))
  await rename(away(), at('other'))

  const authors = async () => {
    const { body } = await call(daemon, '/api/vaults/other/history/secret.md')
    return HistoryAnswer.safeParse(body)
      .data?.revisions?.map(({ author }) => author.id)
      .join()
  }
  await until('its history is under its new name', async () => (await authors()) === 'local')
  await until('everything is read', async () => (await isServed()) && (await isRead()))
  expect(await audited()).toEqual([])
  expect(await revisionsOf('secret.md')).toEqual([])
  expect((await api('/deleted')).text).not.toContain('secret.md')
})
