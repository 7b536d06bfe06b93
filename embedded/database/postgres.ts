import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import pg from 'pg'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { databaseLayout, runsAsRoot } from '../installation/places.ts'
import { exitOf, lastLines } from './child-process.ts'
import { databaseUser, giveFolder } from './database-user.ts'
import { hasCluster, makeCluster } from './make-cluster.ts'
import { ownFolder, type Owner } from './own-folder.ts'
import { databaseAddress, readPostmaster, waitForOrphan } from './postmaster.ts'
import { postgresPrograms } from './programs.ts'
import { removeSocketFolder, socketFolder, type SocketFolder } from './socket-folder.ts'

/** A running Postgres server of this platform. */
export type EmbeddedPostgres = {
  /** Connection URL of a database of this server, which is created if it does not exist. */
  database(name: string): Promise<Secret>
  stop(): Promise<void>
  /** Settles when the server has ended, whatever the reason. */
  ended: Promise<number | null>
}

type Options = {
  /** The server's own folder; nothing else belongs in it. */
  folder: string
  clock: Clock
  log: Log
  settings?: Record<string, string>
  /** Folder of Postgres programs to use instead of those from npm. This user and the database user can execute them. */
  programs?: string
}

type Home = { bin: string; cluster: string; owner: Owner }

const START_ATTEMPTS = 40
const BETWEEN_ATTEMPTS_MS = 500
const MAX_CONNECTIONS = 100

// Postgres survives the kill of its parent. This shell holds our end of a pipe: when this process ends, in whatever
// way, the read ends and the shell asks the server for a fast shutdown. Standard input of a background job would be
// /dev/null, hence fd 3. Its first argument is a temporary folder to remove at the end, or nothing.
const KEEPER = `
exec 3<&0
temporary=$1; shift
"$@" </dev/null 3<&- & server=$!
{ read -r _ <&3; kill -INT $server; } & watcher=$!
wait $server; code=$?
kill $watcher 2>/dev/null
[ -z "$temporary" ] || rmdir "$temporary" 2>/dev/null
exit $code`

/**
 * Starts the Postgres from npm on a Unix socket that only we can reach. Survives its own crash and ours: the orphan of
 * a killed run is stopped first, and a start that still finds its shared memory is retried.
 */
export async function startPostgres({
  folder,
  clock,
  log,
  settings = {},
  programs,
}: Options): Promise<EmbeddedPostgres> {
  const { cluster } = databaseLayout(folder)
  await ownFolder(folder, { mode: runsAsRoot() ? 0o711 : 0o700 })
  await waitForOrphan(cluster, { clock, log })
  const home: Home = { bin: programs ?? (await postgresPrograms()), cluster, owner: await databaseUser(folder) }
  if (await hasCluster(folder)) await giveFolder(cluster, home.owner)
  else {
    log.info('creating the database cluster')
    await makeCluster({ folder, ...home })
  }
  const left = await readPostmaster(cluster)
  if (left) await removeSocketFolder(left.socket, home.owner)

  for (let attempt = 1; ; attempt++) {
    const server = launch(home, await socketFolder(folder, home.owner), settings)
    if (await answers(server, clock)) return running(server, () => removeSocketFolder(server.socket, home.owner))

    if (attempt === START_ATTEMPTS)
      throw new Error(`Postgres did not start in ${cluster}. Its last words: ${server.lastWords()}`)
    log.debug({ attempt, said: server.lastWords() }, 'Postgres did not start yet; trying again')
    await clock.sleep(BETWEEN_ATTEMPTS_MS)
  }
}

type Server = { child: ChildProcess; socket: string; ended: Promise<number | null>; lastWords: () => string }

function launch({ bin, cluster, owner }: Home, socket: SocketFolder, settings: Record<string, string>): Server {
  const all = {
    listen_addresses: '',
    unix_socket_directories: `"${socket.path.replaceAll('"', '""')}"`, // a list: a comma would separate
    unix_socket_permissions: '0700',
    max_connections: String(MAX_CONNECTIONS),
    shared_buffers: '32MB',
    ...settings,
  }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const temporary = socket.temporary ? socket.path : ''
  const server = [join(bin, 'postgres'), '-D', cluster, ...flags]
  const child = spawn('/bin/sh', ['-c', KEEPER, 'postgres-keeper', temporary, ...server], {
    ...owner,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true, // Ctrl-C reaches the process group; we stop Postgres ourselves, as the last part
  })
  child.stdin?.on('error', () => {}) // the keeper may be gone before we close its input
  return { child, socket: socket.path, ended: exitOf(child), lastWords: lastLines(child) }
}

async function answers({ child, socket, ended }: Server, clock: Clock): Promise<boolean> {
  let over = false
  void ended.then(() => (over = true))
  while (!over) {
    const client = new pg.Client({ connectionString: databaseAddress(socket, 'postgres').reveal() })
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

function running({ child, socket, ended }: Server, removeSocket: () => Promise<void>): EmbeddedPostgres {
  return {
    ended,
    database: async (name) => {
      const client = new pg.Client({ connectionString: databaseAddress(socket, 'postgres').reveal() })
      client.on('error', () => {}) // the server may end between two statements; the next one then fails
      await client.connect()
      try {
        const found = await client.query('select 1 from pg_database where datname = $1', [name])
        if (found.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`)
      } finally {
        await client.end()
      }
      return databaseAddress(socket, name)
    },
    stop: async () => {
      child.stdin?.end()
      await ended
      await removeSocket()
    },
  }
}
