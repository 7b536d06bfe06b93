import { spawnSync } from 'node:child_process'
import { chmod, cp, lchown, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock as clock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { startPostgres } from '../../embedded/database/postgres.ts'
import { adoptDatabase } from '../../embedded/installation/adopt-database.ts'
import { databaseWasMade, openInstallation } from '../../embedded/installation/open-installation.ts'
import { carryOut, completePending, writeStaging } from '../../embedded/installation/pending.ts'
import { databaseLayout, dataLayout, newInstallationId, runsAsRoot } from '../../embedded/installation/places.ts'
import { listOutsideState } from '../../embedded/installation/list-state.ts'
import { StartRefused } from '../../embedded/installation/refusal.ts'
import { listInstallation, resetInstallation } from '../../embedded/installation/reset-installation.ts'
import { lockData } from '../../embedded/installation/lock-data.ts'
import { verifies } from '../requirements.ts'
import { freePort } from '../support/free-port.ts'
import { removeFolder } from '../support/remove-folder.ts'

const log = createLog({ service: 'test', level: 'silent' })
const stateCommand = fileURLToPath(new URL('../../embedded/state.command.ts', import.meta.url))
const mainProgram = fileURLToPath(new URL('../../embedded/main.ts', import.meta.url))
let base: string
let said: string[] = []
const say = (line: string) => void said.push(line)

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'svc-ins-'))
  await chmod(base, 0o711)
  said = []
})
afterEach(async () => {
  await removeFolder(base)
})

const open = (dataDir: string) => openInstallation({ layout: dataLayout(dataDir), clock, log, say })

/** Starts the installation of a data folder, runs a statement in its database and stops it. */
async function inDatabase(
  dataDir: string,
  statement: string,
): Promise<{ rows: unknown[]; secret: string; id: string }> {
  await mkdir(dataDir, { recursive: true })
  const { id, secrets, databaseFolder } = await open(dataDir)
  const rows = await inFolder(databaseFolder, statement)
  await databaseWasMade(dataLayout(dataDir), id)
  return { rows, id, secret: secrets.authSecret.reveal() }
}

async function inFolder(folder: string, statement: string): Promise<unknown[]> {
  const postgres = await startPostgres({ folder, clock, log })
  try {
    const client = new pg.Client({ connectionString: (await postgres.database('svc')).reveal() })
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query(statement)
    await client.end()
    return rows
  } finally {
    await postgres.stop()
  }
}

const KEEP = 'create table kept as select 7 as n'
const READ = 'select n from kept'

test('an installation moves, loses one half and gets it back, and is reset; nothing looks new that is not', async () => {
  verifies('embedded.installation', 'embedded.no-silent-loss', 'embedded.adopt', 'embedded.reset')
  const first = await inDatabase(join(base, 'clone'), KEEP)
  const dataDir = join(base, 'renamed clone')
  await rename(join(base, 'clone'), dataDir)
  const layout = dataLayout(dataDir)
  expect(await inDatabase(dataDir, READ)).toMatchObject({ rows: [{ n: 7 }], id: first.id })

  await rm(layout.record)
  await rm(layout.secrets)
  await expect(open(dataDir)).rejects.toBeInstanceOf(StartRefused)
  await expect(open(dataDir)).rejects.toThrow(first.id)
  await adoptDatabase({ layout, id: undefined, clock, log, say })
  expect(await inDatabase(dataDir, READ)).toEqual({ ...first, rows: [{ n: 7 }] })

  await writeFile(layout.secrets, JSON.stringify({ authSecret: 'x'.repeat(43), operatorOrg: `org_${'a'.repeat(24)}` }))
  await expect(open(dataDir)).rejects.toThrow('does not belong')
  await adoptDatabase({ layout, id: first.id, clock, log, say })
  expect((await open(dataDir)).secrets.authSecret.reveal()).toBe(first.secret)

  const away = join(base, 'away')
  await rename(layout.database(first.id), away)
  await expect(open(dataDir)).rejects.toThrow('is missing')
  await expect(adoptDatabase({ layout, id: undefined, clock, log, say })).rejects.toThrow(`no database ${first.id}`)
  // The refusal names another database that could be adopted, but never uses it for the missing one.
  const other = { format: 1, id: 'ins_dddddddddddd', dataDir }
  await cp(away, layout.database(other.id), { recursive: true, preserveTimestamps: true })
  await writeFile(databaseLayout(layout.database(other.id)).record, JSON.stringify(other))
  await expect(adoptDatabase({ layout, id: undefined, clock, log, say })).rejects.toThrow(other.id)
  await expect(open(dataDir)).rejects.toThrow('is missing')
  await rm(layout.database(other.id), { recursive: true })
  await rename(away, layout.database(first.id))

  const paths = await listInstallation(layout)
  expect(paths).toContain(layout.database(first.id))
  await resetInstallation({ layout, paths, clock, log })
  expect((await readdir(dataDir)).filter((name) => name !== 'secrets.json.replaced')).toEqual([])
  expect((await open(dataDir)).id).not.toBe(first.id)
})

test.each(['--reset', '--adopt'])(
  '%s leaves the secrets alone, which alone open a database that is elsewhere',
  async (order) => {
    verifies('embedded.outside-database')
    const dataDir = join(base, 'outside')
    const layout = dataLayout(dataDir)
    await mkdir(layout.daemons, { recursive: true })
    const secrets = JSON.stringify({ authSecret: 'x'.repeat(43), operatorOrg: `org_${'a'.repeat(24)}` })
    await writeFile(layout.secrets, secrets)
    const { status, stderr } = spawnSync(
      process.execPath,
      [mainProgram, order, '--yes', '--data', dataDir, '--port', String(await freePort())],
      { encoding: 'utf8', timeout: 60_000, env: { ...process.env, DATABASE_URL: 'postgres://127.0.0.1:1/elsewhere' } },
    )
    expect(await readdir(dataDir)).toEqual(['daemons', 'secrets.json'])
    expect(await readFile(layout.secrets, 'utf8')).toBe(secrets)
    expect(stderr).toMatch(/^DATABASE_URL is set: .*\.\n$/)
    expect(status).toBe(64)
  },
)

test('the layout of an older version is taken over, from each state that a kill can leave', async () => {
  verifies('embedded.migrates')
  const old = join(base, 'old')
  const folder = join(old, 'postgres')
  const secrets = { authSecret: 's'.repeat(43), operatorOrg: `org_${'b'.repeat(24)}` }
  await mkdir(old)
  await inFolder(folder, KEEP)
  await writeFile(join(old, 'secrets.json'), JSON.stringify(secrets))
  await cp(old, join(base, 'marked'), { recursive: true, preserveTimestamps: true })

  const taken = await inDatabase(old, READ)
  expect(taken).toMatchObject({ rows: [{ n: 7 }], secret: secrets.authSecret })
  expect(await readdir(old)).toEqual(expect.arrayContaining(['installation.json', `postgres-${taken.id}`]))
  await expect(lstat(folder)).rejects.toThrow('ENOENT')

  // Killed at two moments: when only the database had its id, and when the data folder had it too.
  const marked = join(base, 'marked')
  const record = { format: 1, id: 'ins_cccccccccccc', dataDir: marked }
  await writeFile(join(marked, 'postgres/installation.json'), JSON.stringify(record))
  await writeFile(join(marked, 'postgres/secrets.json'), JSON.stringify(secrets))
  await cp(marked, join(base, 'named'), { recursive: true, preserveTimestamps: true })
  await writeFile(join(base, 'named/installation.json'), JSON.stringify({ format: 1, id: record.id, database: 'made' }))
  for (const dataDir of [marked, join(base, 'named')]) {
    expect((await open(dataDir)).id).toBe(record.id)
    expect((await open(dataDir)).databaseFolder).toBe(join(dataDir, `postgres-${record.id}`))
  }
})

test('an interrupted reset is completed and an interrupted restore is completed or undone, with a line each', async () => {
  verifies('embedded.reset', 'embedded.restore-safe')
  const layout = dataLayout(join(base, 'data'))
  const put = async (path: string, text = 'x') => {
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, text)
  }
  const names = async () => (await readdir(layout.dataDir)).toSorted()
  await put(join(layout.daemons, 'one/volume.json'))
  await put(join(layout.dataDir, 'not-ours.txt'))

  await put(layout.pending, JSON.stringify({ action: 'reset', remove: [layout.daemons, layout.secrets] }))
  await completePending(layout, say)
  expect(await names()).toEqual(['not-ours.txt'])

  // A restore that was unpacked but not decided is undone.
  const staged = layout.database('ins_dddddddddddd')
  await put(join(layout.restoring, 'staging.json'), JSON.stringify({ database: staged }))
  await put(join(databaseLayout(staged).cluster, 'PG_VERSION'), '18')
  await completePending(layout, say)
  expect(await names()).toEqual(['not-ours.txt'])

  // A restore that was decided, and killed between two of its steps, is completed. Parts that were already moved stay.
  const secrets = JSON.stringify({ authSecret: 'n'.repeat(43), operatorOrg: `org_${'c'.repeat(24)}` })
  await put(layout.secrets, secrets)
  await put(join(layout.daemons, 'old/volume.json'))
  await put(join(layout.restoring, 'daemons/new/volume.json'))
  await put(join(databaseLayout(layout.database('ins_eeeeeeeeeeee')).cluster, 'PG_VERSION'), '18')
  await put(join(databaseLayout(staged).cluster, 'PG_VERSION'), '18')
  const order = { action: 'restore', id: 'ins_dddddddddddd', database: staged }
  await put(layout.pending, JSON.stringify({ ...order, remove: [layout.database('ins_eeeeeeeeeeee')] }))
  await completePending(layout, say)
  expect(await readdir(layout.daemons)).toEqual(['new'])
  expect(await readFile(layout.secrets, 'utf8')).toBe(secrets)
  expect(await names()).toEqual(
    ['daemons', 'installation.json', 'not-ours.txt', 'postgres-ins_dddddddddddd', 'secrets.json'].toSorted(),
  )
  expect(said).toHaveLength(3)

  await put(layout.pending, JSON.stringify({ action: 'reset', remove: ['/etc/hostname'] }))
  await expect(completePending(layout, say)).rejects.toThrow('cannot be read')
})

test('a moved data folder completes or abandons the restore that was interrupted in it', async () => {
  verifies('embedded.restore-safe', 'embedded.installation')
  const before = dataLayout(join(base, 'before'))
  const layout = dataLayout(join(base, 'moved'))
  const secrets = JSON.stringify({ authSecret: 'n'.repeat(43), operatorOrg: `org_${'c'.repeat(24)}` })
  const [id, old] = ['ins_dddddddddddd', 'ins_eeeeeeeeeeee']
  const makeCluster = async ({ cluster }: ReturnType<typeof databaseLayout>) => {
    await mkdir(cluster, { recursive: true })
    await writeFile(join(cluster, 'PG_VERSION'), '18')
  }
  const move = () => rename(before.dataDir, layout.dataDir)

  await mkdir(before.restoring, { recursive: true })
  await makeCluster(databaseLayout(before.database(id)))
  await writeStaging(before, before.database(id))
  await move()
  await completePending(layout, say)
  expect(await readdir(layout.dataDir)).toEqual([])

  // An older version wrote the whole path. The folder of that name may belong to somebody else by now.
  await mkdir(layout.restoring)
  await makeCluster(databaseLayout(before.database(id)))
  await writeFile(join(layout.restoring, 'staging.json'), JSON.stringify({ database: before.database(id) }))
  await completePending(layout, say)
  expect(await readdir(layout.dataDir)).toEqual([])
  expect(await readdir(before.dataDir)).toEqual([`postgres-${id}`])

  // Decided, but it ends before its first step: it cannot read the secrets that it is to bring.
  await makeCluster(databaseLayout(before.database(old)))
  await mkdir(before.restoring)
  const remove = [before.database(old)]
  const order = { action: 'restore' as const, id, database: before.database(id), remove }
  await expect(carryOut(before, order)).rejects.toThrow('secrets.json')
  await rm(layout.dataDir, { recursive: true })
  await move()
  await writeFile(join(layout.restoring, 'secrets.json'), secrets)
  await completePending(layout, say)
  expect((await readdir(layout.dataDir)).toSorted()).toEqual(['installation.json', `postgres-${id}`, 'secrets.json'])
  expect(said).toHaveLength(3)

  await writeFile(layout.pending, JSON.stringify({ ...order, remove: [] }))
  await expect(completePending(layout, say)).rejects.toThrow('pending.json cannot be read')
  await expect(lstat(before.dataDir)).rejects.toThrow('ENOENT')
})

test('the database runs as a user that nothing else runs as, behind a folder that others cannot enter', async () => {
  verifies('embedded.own-user')
  const folder = join(base, 'database')
  const postgres = await startPostgres({ folder, clock, log })
  const socket = await lstat(join(folder, 'run'))
  const cluster = await lstat(join(folder, 'data'))
  expect([socket.mode & 0o777, cluster.mode & 0o777, cluster.uid]).toEqual([0o700, 0o700, socket.uid])
  if (runsAsRoot()) {
    const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':')[2])
    expect(users).not.toContain(String(socket.uid))
    const nobody = spawnSync('/bin/sh', ['-c', `ls ${join(folder, 'run')}`], { uid: 65_534, gid: 65_534 })
    expect(nobody.status).not.toBe(0)
  } else expect(socket.uid).toBe(process.getuid?.())
  await postgres.stop()
})

test('a path that is too long for a socket gets a folder of a new name, which is removed in the end', async () => {
  verifies('embedded.socket-folder')
  const folder = join(base, 'a'.repeat(60), 'b'.repeat(60))
  const postgres = await startPostgres({ folder, clock, log })
  const socket = new URL((await postgres.database('svc')).reveal()).searchParams.get('host') ?? ''
  const found = await lstat(socket)
  expect([found.isDirectory(), found.mode & 0o777]).toEqual([true, 0o700])
  await postgres.stop()
  await expect(lstat(socket)).rejects.toThrow('ENOENT')
})

test('a database outside of its data folder is listed, kept while it is used, and removed when told', async () => {
  verifies('embedded.left-behind', 'embedded.no-silent-loss')
  const closed = join(base, 'closed')
  await mkdir(closed, { mode: 0o700 }) // as root: the database's user cannot traverse it
  const [dataDir, copy] = [join(closed, 'data'), join(closed, 'copy')]
  const { id } = await inDatabase(dataDir, KEEP)
  const outside = async () => (await listOutsideState(dataLayout(dataDir))).find(({ name }) => name === id)
  if (!runsAsRoot()) {
    expect(await outside()).toBeUndefined()
    expect(await readdir(dataDir)).toContain(`postgres-${id}`)
    return
  }
  const remove = () => spawnSync(process.execPath, [stateCommand, 'remove', id, '--yes', '--data', copy])
  expect((await outside())?.keep).toContain(dataDir)
  expect(remove().status).toBe(78)

  await cp(dataDir, copy, { recursive: true })
  await expect(open(copy)).rejects.toThrow(`is a copy: its database ${id}`)
  await rm(dataDir, { recursive: true })
  expect(await inDatabase(copy, READ)).toMatchObject({ rows: [{ n: 7 }], id })

  await rm(copy, { recursive: true })
  expect((await outside())?.keep).toBeUndefined()
  expect(remove().status).toBe(0)
  expect(await outside()).toBeUndefined()
})

/** A data folder with a record, secrets and a database that looks complete. Returns the database's folder. */
async function writeInstallation(dataDir: string, id: string): Promise<string> {
  const layout = dataLayout(dataDir)
  const database = databaseLayout(layout.database(id))
  const secrets = JSON.stringify({ authSecret: 's'.repeat(43), operatorOrg: `org_${'b'.repeat(24)}` })
  await mkdir(database.cluster, { recursive: true })
  await writeFile(join(database.cluster, 'PG_VERSION'), '18')
  await writeFile(layout.record, JSON.stringify({ format: 1, id, database: 'made' }))
  await writeFile(database.record, JSON.stringify({ format: 1, id, dataDir }))
  for (const path of [layout.secrets, database.secrets]) await writeFile(path, secrets)
  return database.folder
}

test('root does not take over the database of another user, and names that user', async () => {
  verifies('embedded.installation', 'embedded.no-silent-loss')
  if (!runsAsRoot()) return // nobody else can read the record of another user, or give a file away
  const id = newInstallationId()
  for (const mode of [0o700, 0o755]) {
    const home = join(base, mode.toString(8))
    const layout = dataLayout(join(home, 'data'))
    const database = await writeInstallation(layout.dataDir, id)
    const others = JSON.stringify({ authSecret: 'o'.repeat(43), operatorOrg: `org_${'b'.repeat(24)}` })
    const entries = (await readdir(home, { recursive: true })).toSorted()
    for (const name of entries) await lchown(join(home, name), 54_321, 54_321)
    await chmod(home, mode)

    const refused = /^The database .* belongs to the user 54321, .*\.$/
    await expect(open(layout.dataDir)).rejects.toThrow(StartRefused)
    await expect(open(layout.dataDir)).rejects.toThrow(refused)
    await writeFile(layout.secrets, others)
    await expect(adoptDatabase({ layout, id: undefined, clock, log, say })).rejects.toThrow(refused)
    expect(await readFile(layout.secrets, 'utf8')).toBe(others)
    expect((await readdir(home, { recursive: true })).toSorted()).toEqual(entries)
    expect((await lstat(database)).uid).toBe(54_321)
  }
  expect(said).toEqual([])

  // A folder that was given to root together with its database is one of root.
  const dataDir = join(base, '755/data')
  const layout = dataLayout(dataDir)
  for (const name of await readdir(base, { recursive: true })) await lchown(join(base, name), 0, 0)
  await adoptDatabase({ layout, id: undefined, clock, log, say })
  expect((await open(dataDir)).id).toBe(id)
})

test('an adoption keeps the secrets that it replaces, beside those that earlier ones replaced', async () => {
  verifies('embedded.adopt', 'embedded.no-silent-loss')
  const layout = dataLayout(join(base, 'data'))
  const id = newInstallationId()
  await writeInstallation(layout.dataDir, id)
  const secrets = (letter: string) =>
    JSON.stringify({ authSecret: letter.repeat(43), operatorOrg: `org_${'b'.repeat(24)}` })
  for (const letter of ['x', 'y', 'z']) {
    await writeFile(layout.secrets, secrets(letter))
    await adoptDatabase({ layout, id, clock, log, say })
  }
  const kept = (await readdir(layout.dataDir)).filter((name) => name.includes('.replaced')).toSorted()
  expect(kept).toEqual(['secrets.json.replaced', 'secrets.json.replaced-2', 'secrets.json.replaced-3'])
  const texts = await Promise.all(kept.map((name) => readFile(join(layout.dataDir, name), 'utf8')))
  expect(texts).toEqual(['x', 'y', 'z'].map(secrets))
  expect(said.filter((line) => line.includes('are kept as'))).toEqual(
    kept.map((name) => `The secrets that were here are kept as ${join(layout.dataDir, name)}.`),
  )
  expect((await open(layout.dataDir)).secrets.authSecret.reveal()).toBe('s'.repeat(43))
})

test('a data folder belongs to one process at a time', () => {
  verifies('embedded.one-platform')
  const lock = lockData(base)
  expect(() => lockData(base)).toThrow('in use by another running platform')
  lock.release()
  lockData(base).release()
})
