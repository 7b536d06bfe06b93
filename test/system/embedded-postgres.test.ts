import { chmod, cp, lstat, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { once } from 'node:events'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { startPostgres } from '../../embedded/database/postgres.ts'
import { postgresPrograms, publishPrograms } from '../../embedded/database/programs.ts'
import { verifies } from '../requirements.ts'
import { removeFolder } from '../support/remove-folder.ts'

const log = createLog({ service: 'test', level: 'silent' })
const folders: string[] = []

async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'svc-pg-'))
  await chmod(path, 0o711)
  folders.push(path)
  return path
}

afterEach(async () => {
  for (const path of folders.splice(0)) await removeFolder(path)
})

/** Arguments for a Node process that starts Postgres in a folder, prints its address and runs until it is killed. */
const serverIn = (dataDir: string) => [
  '--input-type=module',
  '-e',
  `
    import { startPostgres } from '${new URL('../../embedded/database/postgres.ts', import.meta.url).href}'
    import { endWith } from '${new URL('../../embedded/end-with.ts', import.meta.url).href}'
    import { createLog } from '@svc/shared/kit/log.ts'
    import { systemClock } from '@svc/shared/kit/clock.ts'
    const log = createLog({ service: 't', level: 'silent' })
    const server = await startPostgres({ folder: ${JSON.stringify(dataDir)}, clock: systemClock, log }).catch(endWith)
    process.stdout.write((await server.database('svc')).reveal())
    setInterval(() => {}, 1000)`,
]

async function rowsOf(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // a server that stops also reports this between statements; a statement then fails
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

test('data survives a restart in a folder of any name, and a stopped server leaves no process', async () => {
  const dataDir = join(await folder(), 'Acme, "Inc" \'1\' \\')
  const first = await startPostgres({ folder: dataDir, log, clock: systemClock })
  const url = (await first.database('svc')).reveal()
  await rowsOf(url, 'create table kept (n int)')
  await rowsOf(url, 'insert into kept values (7)')
  await first.stop()
  await expect(first.ended).resolves.toBe(0)

  const second = await startPostgres({ folder: dataDir, log, clock: systemClock })
  expect(await rowsOf((await second.database('svc')).reveal(), 'select n from kept')).toEqual([{ n: 7 }])
  await second.stop()
})

test('a killed parent leaves no server behind, and the next start finds what was acknowledged', async () => {
  const dataDir = await folder()
  const parent = spawn(process.execPath, serverIn(dataDir), {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [address] = (await once(parent.stdout, 'data')) as [Buffer]
  await rowsOf(address.toString(), 'create table kept (n int)')
  parent.kill('SIGKILL')

  await expect
    .poll(() =>
      rowsOf(address.toString(), 'select 1').then(
        () => 'up',
        () => 'down',
      ),
    )
    .toBe('down')
  const next = await startPostgres({ folder: dataDir, log, clock: systemClock })
  expect(await rowsOf((await next.database('svc')).reveal(), 'select count(*)::int as n from kept')).toEqual([{ n: 0 }])
  await next.stop()
})

const UMASK = 0o077

/** The files and folders of a tree with their permissions; links have none. */
async function modesIn(folder: string): Promise<{ path: string; mode: number }[]> {
  const paths = [folder, ...(await readdir(folder, { recursive: true })).map((name) => join(folder, name))]
  const found = await Promise.all(paths.map(async (path) => ({ path, stats: await lstat(path) })))
  return found.filter(({ stats }) => !stats.isSymbolicLink()).map(({ path, stats }) => ({ path, mode: stats.mode }))
}

async function closeToOthers(folder: string): Promise<void> {
  for (const { path, mode } of await modesIn(folder)) await chmod(path, mode & 0o777 & ~UMASK)
}

/** What somebody else cannot read or, where its owner can execute it, cannot execute. */
async function closedToOthers(folder: string): Promise<string[]> {
  const needed = (mode: number) => (mode & 0o100 ? 0o005 : 0o004)
  return (await modesIn(folder)).filter(({ mode }) => (mode & needed(mode)) !== needed(mode)).map(({ path }) => path)
}

test('programs that were installed and copied under a closed umask run as the user of the database', async () => {
  verifies('embedded.own-user')
  const base = await folder()
  const [packaged, shared] = [join(base, 'package', 'native'), join(base, 'shared')]
  await cp(dirname(await postgresPrograms()), packaged, { recursive: true, verbatimSymlinks: true })
  await writeFile(join(base, 'package', 'package.json'), JSON.stringify({ version: '1.0.0' }))
  await closeToOthers(packaged)

  const umask = process.umask(UMASK)
  const programs = await publishPrograms(packaged, shared).finally(() => process.umask(umask))
  expect(await closedToOthers(programs)).toEqual([])
  const options = { folder: await folder(), programs: join(programs, 'bin'), log, clock: systemClock }
  const server = await startPostgres(options)
  await server.stop()

  // A copy that is there already, and closed, is opened.
  await closeToOthers(programs)
  expect(await publishPrograms(packaged, shared)).toBe(programs)
  expect(await closedToOthers(programs)).toEqual([])
})

// A container often runs under a user id without a name. In a user namespace this test does, too.
const NAMELESS = ['--user', '--map-user=12345', '--map-group=12345', '--keep-caps', '--']
const REFUSE_NAMESPACES = ['/bin/sh', '-c', 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"', 'sh']

test('a user without a name gets a database where the system allows it, else 78 and a line that says what to do', async () => {
  verifies('embedded.nameless-user')
  const start = (dataDir: string, before: string[]) => {
    const args = [...NAMELESS, ...before, process.execPath, ...serverIn(dataDir)]
    return spawn('unshare', args, { env: { PATH: process.env.PATH }, stdio: ['ignore', 'pipe', 'pipe'] })
  }
  const works = start(await folder(), [])
  const [address] = await Promise.race([once(works.stdout, 'data'), once(works, 'close')])
  expect(await rowsOf(String(address), 'select 7 as n')).toEqual([{ n: 7 }])
  works.kill('SIGKILL')

  const refused = start(await folder(), REFUSE_NAMESPACES)
  let said = ''
  refused.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  expect(await once(refused, 'close')).toEqual([78, null])
  expect(said.trim().split('\n')).toEqual([expect.stringMatching(/user 12345 .* has no name .* set DATABASE_URL/)])
})
