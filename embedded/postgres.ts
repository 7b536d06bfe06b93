import { spawn, type ChildProcess } from 'node:child_process'
import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { postgresHome, type PostgresHome } from './postgres-home.ts'

/** A running Postgres server of ours. */
export type EmbeddedPostgres = {
  /** Connection address of a database of this server, made when it is not there. */
  database(name: string): Promise<Secret>
  stop(): Promise<void>
  /** Settles when the server has ended, whatever the reason. */
  ended: Promise<number | null>
}

type Options = { dataDir: string; clock: Clock; log: Log; settings?: Record<string, string> }

const START_ATTEMPTS = 40
const BETWEEN_ATTEMPTS_MS = 500
const MAX_CONNECTIONS = 100

// Postgres outlives a parent that is killed. This shell holds our end of a pipe: when we are gone, however, the read
// ends and it asks the server for a fast shutdown. Standard input of a background job would be /dev/null, hence fd 3.
const KEEPER = `
exec 3<&0
"$@" </dev/null 3<&- & server=$!
{ read -r _ <&3; kill -INT $server; } & watcher=$!
wait $server; code=$?
kill $watcher 2>/dev/null
exit $code`

/**
 * Starts the Postgres that npm brought, over a Unix socket that only we can reach. Survives its own crash and ours: an
 * orphan of a killed run is stopped first, and a start that still meets its shared memory is tried again.
 */
export async function startPostgres({ dataDir, clock, log, settings = {} }: Options): Promise<EmbeddedPostgres> {
  const home = await postgresHome(dataDir)
  await initialise(home, log)
  await stopOrphan(home, { clock, log })

  for (let attempt = 1; ; attempt++) {
    const server = launch(home, settings)
    if (await answers(home, server, clock)) return running(home, server)

    if (attempt === START_ATTEMPTS)
      throw new Error(`Postgres did not start in ${home.data}. Its last words: ${server.lastWords()}`)
    log.debug({ attempt, said: server.lastWords() }, 'Postgres did not start yet; trying again')
    await clock.sleep(BETWEEN_ATTEMPTS_MS)
  }
}

const asOwner = ({ uid, gid }: PostgresHome) => (uid === undefined ? {} : { uid, gid })

async function initialise(home: PostgresHome, log: Log): Promise<void> {
  if (await stat(join(home.data, 'PG_VERSION')).catch(() => undefined)) return

  log.info('creating the database cluster')
  await rm(home.data, { recursive: true, force: true })
  const args = ['--pgdata', home.data, '--username', 'postgres', '--auth', 'trust', '--encoding', 'UTF8']
  const child = spawn(join(home.bin, 'initdb'), [...args, '--locale', 'C'], {
    ...asOwner(home),
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said = lastLines(child)
  const code = await exitOf(child)
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${said()}`)
}

/** The data folder belongs to a platform that runs: exit 75. */
export class DataInUse extends Error {
  constructor(dataDir: string, pid: number) {
    super(`${dataDir} is in use by another running platform (its Postgres is process ${pid})`)
    this.name = 'DataInUse'
  }
}

const PATIENCE_MS = 10_000

/**
 * Waits for the server that a killed run of ours left behind, known by the pid file of this very data directory: its
 * keeper is shutting it down. One whose keeper is gone too is stopped here; one whose platform lives is left alone.
 */
async function stopOrphan(home: PostgresHome, { clock, log }: { clock: Clock; log: Log }): Promise<void> {
  const pidFile = await readFile(join(home.data, 'postmaster.pid'), 'utf8').catch(() => undefined)
  const pid = Number(pidFile?.split('\n')[0])
  if (!pid || !(await commandOf(pid)).includes(home.data)) return

  const keeper = await parentOf(pid)
  const kept = (await commandOf(keeper)).includes('postgres-keeper')
  if (kept && (await commandOf(await parentOf(keeper))).includes('node')) throw new DataInUse(home.data, pid)
  if (!kept) process.kill(pid, 'SIGINT')

  log.warn({ pid }, 'waiting for the Postgres that an earlier run left behind')
  for (let waited = 0; waited < PATIENCE_MS && (await commandOf(pid)) !== ''; waited += 100) await clock.sleep(100)
}

const commandOf = (pid: number) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')

async function parentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0)
}

type Server = { child: ChildProcess; ended: Promise<number | null>; lastWords: () => string }

function launch(home: PostgresHome, settings: Record<string, string>): Server {
  const all = {
    listen_addresses: '',
    unix_socket_directories: home.socket,
    unix_socket_permissions: '0700',
    max_connections: String(MAX_CONNECTIONS),
    shared_buffers: '32MB',
    ...settings,
  }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(
    '/bin/sh',
    ['-c', KEEPER, 'postgres-keeper', join(home.bin, 'postgres'), '-D', home.data, ...flags],
    {
      ...asOwner(home),
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true, // Ctrl-C reaches the process group; we stop Postgres last, ourselves
    },
  )
  child.stdin?.on('error', () => {}) // the keeper may be gone before we close its input
  return { child, ended: exitOf(child), lastWords: lastLines(child) }
}

async function answers(home: PostgresHome, { child, ended }: Server, clock: Clock): Promise<boolean> {
  let over = false
  void ended.then(() => (over = true))
  while (!over) {
    const client = new pg.Client({ connectionString: address(home, 'postgres').reveal() })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return child.exitCode === null
    } catch {
      await clock.sleep(50)
    }
  }
  return false
}

const address = (home: PostgresHome, name: string) =>
  new Secret(`postgresql://postgres@localhost/${name}?host=${encodeURIComponent(home.socket)}`)

function running(home: PostgresHome, { child, ended }: Server): EmbeddedPostgres {
  return {
    ended,
    database: async (name) => {
      const client = new pg.Client({ connectionString: address(home, 'postgres').reveal() })
      client.on('error', () => {}) // a server that goes between statements; the next one fails
      await client.connect()
      try {
        const found = await client.query('select 1 from pg_database where datname = $1', [name])
        if (found.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`)
      } finally {
        await client.end()
      }
      return address(home, name)
    },
    stop: async () => {
      child.stdin?.end()
      await ended
    },
  }
}

function lastLines(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (text = (text + chunk).slice(-2_000)))
  return () => text.trim().split('\n').slice(-3).join(' | ')
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code))
  })
}
