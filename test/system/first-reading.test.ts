import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { StorageUsage, Tree, VaultInfo } from '@svc/shared/wire/daemon/daemon.api.ts'
import { runCommand } from '../../daemon/src/cli/run-command.ts'
import { readConfig } from '../../daemon/src/config.ts'
import { verifies } from '../requirements.ts'
import { endProcess } from '../support/end-process.ts'
import { programEnvironment } from '../support/program-environment.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { call, newHome } from '../support/svcd.ts'
import { until } from '../support/until.ts'

const PROGRAM = fileURLToPath(new URL('../../daemon/bin/svcd.js', import.meta.url))
// A folder that can be entered but not listed, so that the identity of the vault can be read.
const NOT_LISTED = 0o300

let home: string
let child: ChildProcess
let url = ''
beforeEach(async () => {
  home = await newHome()
  for (const vault of ['broken', 'sound']) {
    await mkdir(at(vault, 'closed'), { recursive: true })
    await writeFile(at(vault, 'open.md'), '# Open\n\nheliotrope\n')
    await writeFile(at(vault, 'closed/shut.md'), '# Shut\n\nheliotrope\n')
    await mkdir(at(vault, '.svc'))
    const file = { format: 1, identity: `identity-of-${vault}`, id: vault, displayName: vault, createdAt: '2026' }
    await writeFile(at(vault, '.svc/vault.json'), JSON.stringify(file))
  }
})
afterEach(async () => {
  await endProcess(child, 'SIGKILL')
  for (const folder of ['', 'closed']) await chmod(at('broken', folder), 0o700)
  await removeFolder(home)
})

const at = (vault: string, path: string) => join(home, 'vaults', vault, path)
const api = (vault: string, path: string) => call({ url }, `/api/vaults/${vault}${path}`)
const isReady = async () => (await call({ url }, '/api/ready')).status === 200
const infoOf = async (vault: string) => VaultInfo.parse((await api(vault, '')).body).vault
const treeOf = async (vault: string) => Tree.parse((await api(vault, '/tree')).body)
const found = async (vault: string) => {
  const { hits, partial } = (await api(vault, '/search?q=heliotrope')).body as {
    hits: { path: string }[]
    partial: boolean
  }
  return { paths: hits.map(({ path }) => path).toSorted(), partial }
}
const WHOLE = { paths: ['closed/shut.md', 'open.md'], partial: false }

/** Runs a command of `svcd`, which must succeed. */
async function command(name: string, ...args: string[]) {
  let [out, errors] = ['', '']
  const config = () => readConfig({ SVC_HOME: home, PATH: process.env.PATH })
  const code = await runCommand({
    name,
    args,
    config,
    out: (text) => void (out += text),
    error: (text) => void (errors += text),
  })
  expect([code, errors]).toEqual([0, ''])
  return out
}

/** Starts a daemon without root's privileges, even if root runs the tests: root could read everything. */
async function start(): Promise<void> {
  let output = ''
  const user = ['--user', '--map-user=12345', '--', process.execPath, PROGRAM]
  const env = programEnvironment({ SVC_HOME: home, SVC_PORT: '0', SVC_SEARCH_DEADLINE_MS: '60000' })
  child = spawn('unshare', user, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (output += text))
  ended.then(() => (output += 'it has ended'))
  await until('it listens', () => /listening at http/.test(output))
  url = /listening at (http:[^\s,]+),/.exec(output)![1]!
}

test('a vault whose folder cannot be listed when it is opened says so, and is read as soon as it can be', async () => {
  verifies('vault.first-reading')
  await chmod(at('broken', ''), NOT_LISTED)
  await start()
  await until('the other vault is read', async () => isDeepStrictEqual(await found('sound'), WHOLE))
  const isRefused = async () => (await api('broken', '/tree')).status === 403
  await until('the vault says why it is not served', isRefused)
  expect((await api('broken', '/tree')).body).toMatchObject({ error: { code: 'file_access_denied' } })
  expect((await api('broken', '')).body).toMatchObject({ error: { code: 'file_access_denied' } })
  expect(await isReady()).toBe(false)

  await chmod(at('broken', ''), 0o700)
  await until('everything is read', isReady)
  expect(await found('broken')).toEqual(WHOLE)
  expect((await api('broken', '/tree')).text).toContain('shut.md')
})

test('a vault whose folder cannot be listed does not hide the other ones from what is asked about all', async () => {
  verifies('vault.first-reading')
  await chmod(at('broken', ''), NOT_LISTED)
  await start()
  await until('the other vault is read', async () => isDeepStrictEqual(await found('sound'), WHOLE))
  await until('the vault says why it is not served', async () => (await api('broken', '/tree')).status === 403)

  const usage = async () => StorageUsage.parse((await call({ url }, '/api/ops/storage')).body).storage
  const without = await usage()
  expect(without.unlisted).toEqual(['broken'])
  expect(without.byKind.notes).toBeGreaterThan(0)
  expect(without.freeBytes).toBeGreaterThan(0)
  const row = { id: 'broken', error: { code: 'file_access_denied' } }
  expect(JSON.parse(await command('vaults', '--json'))).toMatchObject({ vaults: [row, { id: 'sound', notes: 2 }] })
  expect(await command('vaults')).toMatch(/^broken +broken +cannot be read +\S.*\nsound +sound +2 notes/)
  expect(await command('status')).toMatch(/Vaults +2, 1 cannot be read/)

  await chmod(at('broken', ''), 0o700)
  await until('everything is read', isReady)
  const whole = await usage()
  expect(whole.unlisted).toBeUndefined()
  expect(whole.byKind.notes).toBe(2 * without.byKind.notes)
})

test('a folder that cannot be read when its vault is opened is named, delays nothing else, and is read later', async () => {
  verifies('vault.first-reading')
  await chmod(at('broken', 'closed'), 0)
  await start()
  await until('everything else is read', isReady)
  expect(await found('broken')).toEqual({ paths: ['open.md'], partial: true })
  expect((await infoOf('broken')).unread).toEqual({ count: 1, paths: ['closed'] })
  expect((await infoOf('sound')).unread).toBeUndefined()
  expect((await treeOf('broken')).unread).toEqual({ count: 1, paths: ['closed'] })
  expect((await treeOf('sound')).unread).toBeUndefined()

  await chmod(at('broken', 'closed'), 0o700)
  await until('the folder is read', async () => (await infoOf('broken')).notes === 2)
  await until('nothing is unread', async () => (await infoOf('broken')).unread === undefined)
  expect(await found('broken')).toEqual(WHOLE)
})

test('a note that cannot be read when its vault is opened is named, delays nothing else, and is read later', async () => {
  verifies('vault.first-reading')
  await chmod(at('broken', 'open.md'), 0)
  await start()
  await until('everything else is read', isReady)
  expect(await found('broken')).toEqual({ paths: ['closed/shut.md'], partial: true })
  expect((await infoOf('broken')).unread).toEqual({ count: 1, paths: ['open.md'] })
  expect((await treeOf('broken')).unread).toEqual({ count: 1, paths: ['open.md'] })

  await chmod(at('broken', 'open.md'), 0o600)
  await until('the note is read', async () => (await infoOf('broken')).unread === undefined)
  expect(await found('broken')).toEqual(WHOLE)
})

test('a page that is open is told when a folder that is known cannot be read any more, and when it can be again', async () => {
  verifies('vault.first-reading')
  await start()
  await until('everything is read', isReady)
  const answer = await fetch(`${url}/api/vaults/broken/events`)
  let told = ''
  const events = answer.body!.pipeThrough(new TextDecoderStream())
  void (async () => {
    for await (const text of events) told += text
  })().catch(() => undefined)
  await until('the page listens', () => told.includes('event: hello'))
  const times = () => told.split('"what":"folder","path":""').length - 1

  await chmod(at('broken', 'closed'), 0)
  await until('it is told that something cannot be read', () => times() > 0)
  expect((await treeOf('broken')).unread).toEqual({ count: 1, paths: ['closed'] })

  await chmod(at('broken', 'closed'), 0o700)
  await until('it is told that everything can be read', () => times() > 1)
  expect((await treeOf('broken')).unread).toBeUndefined()
})
