import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import pg from 'pg'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock as clock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { whileFrozen } from '../../embedded/backup/freeze.ts'
import { restoreBackup } from '../../embedded/backup/restore-backup.ts'
import { takeBackup } from '../../embedded/backup/take-backup.ts'
import { startPostgres } from '../../embedded/database/postgres.ts'
import { lockData } from '../../embedded/installation/lock-data.ts'
import { openInstallation } from '../../embedded/installation/open-installation.ts'
import { databaseLayout, dataLayout } from '../../embedded/installation/places.ts'
import { StartRefused } from '../../embedded/installation/refusal.ts'
import { verifies } from '../requirements.ts'
import { refuseSecretsOfProcesses } from '../support/process-secrets.ts'
import { until } from '../support/until.ts'
import { removeFolder } from '../support/remove-folder.ts'

const log = createLog({ service: 'test', level: 'silent' })
const writer = fileURLToPath(new URL('../support/writing-platform.ts', import.meta.url))
const restoreCommand = fileURLToPath(new URL('../../embedded/restore.command.ts', import.meta.url))
const quiet = { clock, log, say: () => {}, onProgress: () => {} }
let base: string
let dataDir: string
let file: string

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'svc-bak-'))
  await chmod(base, 0o711)
  dataDir = join(base, 'data')
  file = join(base, 'backup.tgz')
})
afterAll(async () => {
  await removeFolder(base)
})

const restore = (from: string, to: string, existing: 'keep' | 'replace' = 'keep') =>
  restoreBackup({ ...quiet, layout: dataLayout(join(base, to)), file: from, existing })

/** The last number of a list that contains every number from 1 on. */
function upTo(numbers: number[]): number {
  expect(numbers.toSorted((one, other) => one - other)).toEqual(numbers.map((_, index) => index + 1))
  return numbers.length
}

test('a backup of a platform that writes without pause is one moment of it, and everything acknowledged before', async () => {
  verifies('embedded.backup')
  const platform = spawn(process.execPath, [writer, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  let acknowledged = 0
  platform.stdout.setEncoding('utf8').on('data', (text: string) => {
    acknowledged = Number(text.trim().split('\n').at(-1))
  })
  await until('it writes', async () => acknowledged > 20, { withinMs: 120_000 })
  const home = join(dataDir, 'daemons/org-one/home')
  await writeFile(join(home, 'binary'), Buffer.from([0, 255, 13, 10]))
  await symlink('binary', join(home, 'link'))
  await mkdir(join(home, 'empty'))
  await mkdir(join(home, 'daemon'))
  await writeFile(join(home, 'daemon/lock'), 'of a process that runs')

  const before = acknowledged
  const taking = takeBackup({ ...quiet, layout: dataLayout(dataDir), file })
  await until('the backup has begun', async () => (await readdir(base)).some((name) => name.endsWith('.partial')))
  const second = takeBackup({ ...quiet, layout: dataLayout(dataDir), file: join(base, 'second.tgz') })
  await expect(second).rejects.toThrow('Another backup')
  const taken = await taking
  const after = acknowledged
  await until('it writes on', async () => acknowledged > after)
  platform.kill('SIGKILL')
  await once(platform, 'exit')
  expect(taken.stoodStillMs).toBeGreaterThan(0)

  const restored = await restore(file, 'restored')
  const folder = join(base, 'restored/daemons/org-one/home')
  const notes = (await readdir(folder)).filter((name) => name.endsWith('.md'))
  for (const name of notes) expect(await readFile(join(folder, name))).toEqual(await readFile(join(home, name)))
  const files = upTo(notes.map((name) => Number(name.slice(0, -3))))
  const rows = upTo(await numbersIn('restored'))
  expect(rows).toBeGreaterThanOrEqual(before)
  expect([0, 1]).toContain(files - rows) // a file is written before its row, so there is at most one more file

  expect(await readFile(join(folder, 'link'))).toEqual(Buffer.from([0, 255, 13, 10]))
  expect(await readdir(join(folder, 'empty'))).toEqual([])
  expect(await readdir(join(folder, 'daemon'))).toEqual([])
  expect(await readFile(join(base, 'restored/secrets.json'))).toEqual(await readFile(join(dataDir, 'secrets.json')))
  expect(restored.header.id).not.toBe(restored.id)
})

test('a backup of a stopped platform holds its last moment, and a file that is there is not overwritten', async () => {
  verifies('embedded.backup')
  const stopped = join(base, 'stopped.tgz')
  const layout = dataLayout(dataDir)
  await takeBackup({ ...quiet, layout, file: stopped })
  await expect(takeBackup({ ...quiet, layout, file: stopped })).rejects.toThrow('is there already')

  await restore(stopped, 'again')
  const notes = (await readdir(join(base, 'again/daemons/org-one/home'))).filter((name) => name.endsWith('.md'))
  expect([0, 1]).toContain(upTo(notes.map((name) => Number(name.slice(0, -3)))) - upTo(await numbersIn('again')))
})

test.each(['restore', 'reset'] as const)('an interrupted %s is completed before there is a backup', async (action) => {
  verifies('embedded.backup', 'embedded.restore-safe')
  const layout = dataLayout(join(base, action))
  const [old, id] = ['ins_eeeeeeeeeeee', 'ins_dddddddddddd']
  const before = databaseLayout(layout.database(old))
  const staged = databaseLayout(layout.database(id))
  for (const { cluster } of [before, staged]) {
    await mkdir(cluster, { recursive: true })
    await writeFile(join(cluster, 'PG_VERSION'), '18')
  }
  const secrets = JSON.stringify({ authSecret: 's'.repeat(43), operatorOrg: `org_${'b'.repeat(24)}` })
  for (const path of [layout.secrets, before.secrets]) await writeFile(path, secrets)
  await writeFile(layout.record, JSON.stringify({ format: 1, id: old, database: 'made' }))
  await writeFile(before.record, JSON.stringify({ format: 1, id: old, dataDir: layout.dataDir }))
  const place = { restore: { id, database: staged.folder }, reset: {} }[action]
  await writeFile(layout.pending, JSON.stringify({ action, ...place, remove: [before.folder] }))

  const refused = join(base, `${action}.tgz`)
  const taking = () => takeBackup({ ...quiet, layout, file: refused })
  await expect(taking()).rejects.toThrow(`A ${action} in ${layout.dataDir} was interrupted`)
  await expect(taking()).rejects.toBeInstanceOf(StartRefused)
  const lock = lockData(layout.dataDir)
  await expect(taking()).rejects.toThrow('in use by another running platform') // it may be completing it
  lock.release()
  expect((await readdir(base)).filter((name) => name.startsWith(`${action}.`))).toEqual([])
})

test('a restore replaces an installation only when told, and a damaged or foreign file changes nothing', async () => {
  verifies('embedded.restore-safe')
  await expect(restore(file, 'restored')).rejects.toThrow('--force')

  const bytes = await readFile(file)
  const damaged = Buffer.from(bytes)
  damaged.writeUInt32BE(0xdeadbeef, Math.floor(bytes.length / 2))
  const header = { product: 'svc-platform', format: 1, id: 'x', createdAt: new Date(0).toISOString() }
  const mine = { ...header, postgres: '18', architecture: process.arch }
  const files: [string, Buffer, string][] = [
    ['damaged', damaged, 'damaged'],
    ['cut', bytes.subarray(0, bytes.length - 2_000), 'damaged'],
    ['text', Buffer.from('no archive'), 'damaged'],
    ['foreign', await archiveOf({ 'readme.txt': 'x' }), 'no backup'],
    ['newer', await archiveOf({ 'backup.json': JSON.stringify({ ...header, format: 2 }) }), 'newer version'],
    ['other', await archiveOf({ 'backup.json': JSON.stringify({ ...mine, postgres: '17' }) }), 'Postgres 17'],
    ['short', await archiveOf({ 'backup.json': JSON.stringify(mine) }), 'incomplete'],
    ['escaping', await archiveOf({ 'backup.json': JSON.stringify(mine), 'data/daemons/../../x': 'x' }), 'holds'],
    ['stray', await archiveOf({ 'backup.json': JSON.stringify(mine), 'data/lock': 'x' }), 'holds'],
  ]
  const state = await readdir(join(base, 'restored'))
  for (const [name, content, words] of files) {
    const path = join(base, `${name}.tgz`)
    await writeFile(path, content)
    await expect(restore(path, 'restored', 'replace'), name).rejects.toThrow(words)
    expect(await readdir(join(base, 'restored')), name).toEqual(state)
  }
  expect(await readdir(base)).not.toContain('x')

  const { id } = await restore(file, 'restored', 'replace')
  expect(await readdir(join(base, 'restored'))).toContain(`postgres-${id}`)
  expect((await readdir(join(base, 'restored'))).filter((name) => name.startsWith('postgres-'))).toHaveLength(1)
})

test('a restore leaves an installation alone whose database is elsewhere, even when told to replace it', async () => {
  verifies('embedded.outside-database')
  const outside = join(base, 'outside')
  await mkdir(outside)
  await writeFile(join(outside, 'secrets.json'), '{}')
  const { status, stderr } = spawnSync(process.execPath, [restoreCommand, file, '--force', '--data', outside], {
    encoding: 'utf8',
    timeout: 120_000,
    env: { ...process.env, DATABASE_URL: 'postgres://127.0.0.1:1/elsewhere' },
  })
  expect(await readdir(outside)).toEqual(['secrets.json'])
  expect(await readFile(join(outside, 'secrets.json'), 'utf8')).toBe('{}')
  expect(stderr).toMatch(/^DATABASE_URL is set: .*\.\n$/)
  expect(status).toBe(64)
})

test('processes that are stopped for a backup continue when the backup is killed', async () => {
  verifies('embedded.backup')
  const counter = spawn('/bin/sh', ['-c', 'while :; do echo tick; sleep 0.05; done'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let ticks = 0
  counter.stdout.on('data', () => (ticks += 1))
  const freeze = new URL('../../embedded/backup/freeze.ts', import.meta.url).href
  const script = `
    import { whileFrozen } from '${freeze}'
    import { systemClock as clock } from '@svc/shared/kit/clock.ts'
    await whileFrozen({ pid: ${counter.pid}, except: 0, clock }, () => { console.log('still'); return new Promise(() => setInterval(() => {}, 1000)) })`
  const backup = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, A_SECRET: `svc_dmn_${'a'.repeat(43)}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(backup.stdout, 'data')
  await refuseSecretsOfProcesses(backup.pid ?? 0)
  const state = await readFile(`/proc/${counter.pid}/stat`, 'utf8')
  expect(state.charAt(state.lastIndexOf(')') + 2)).toBe('T')

  backup.kill('SIGKILL')
  const before = ticks
  await until('it goes on', async () => ticks > before + 1)
  await expect(
    whileFrozen({ pid: counter.pid ?? 0, except: 0, clock }, () => Promise.reject(new Error('no'))),
  ).rejects.toThrow('no')
  const later = ticks
  await until('it goes on', async () => ticks > later + 1)
  counter.kill('SIGKILL')
})

async function numbersIn(name: string): Promise<number[]> {
  const layout = dataLayout(join(base, name))
  const { databaseFolder } = await openInstallation({ layout, ...quiet })
  const postgres = await startPostgres({ folder: databaseFolder, clock, log })
  try {
    const client = new pg.Client({ connectionString: (await postgres.database('svc')).reveal() })
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query('select n from written order by n')
    await client.end()
    return rows.map(({ n }) => n as number)
  } finally {
    await postgres.stop()
  }
}

async function archiveOf(entries: Record<string, string>): Promise<Buffer> {
  const archive = pack()
  for (const [name, text] of Object.entries(entries)) archive.entry({ name }, text)
  archive.finalize()
  return gzipSync(await buffer(archive as AsyncIterable<Buffer>))
}
