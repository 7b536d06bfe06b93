import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { commandOf, parentOf } from './process-table.ts'

/** The database belongs to a running platform: exit 75. */
export class DataInUse extends Error {
  constructor(folder: string, pid: number | undefined) {
    super(`${folder} is in use by another running platform${pid === undefined ? '' : ` (process ${pid})`}`)
    this.name = 'DataInUse'
  }
}

/** What the server of a cluster recorded at its start; it may be gone since. */
export type Postmaster = { pid: number; socket: string }

const PATIENCE_MS = 10_000

/** Reads the pid file of a cluster; undefined when no server runs and none was killed there. */
export async function readPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  const pid = Number(lines[0])
  return pid > 0 ? { pid, socket: lines[4] ?? '' } : undefined
}

/** The running server of a cluster. The pid file alone proves nothing: another process may have got its pid. */
export async function runningPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const postmaster = await readPostmaster(cluster)
  return postmaster && (await commandOf(postmaster.pid)).includes(cluster) ? postmaster : undefined
}

/** URL of a database of the server with its socket in this folder. */
export const databaseAddress = (socket: string, name: string) =>
  new Secret(`postgresql://postgres@localhost/${name}?host=${encodeURIComponent(socket)}`)

/**
 * Waits for the server of a killed run, found by the pid file of this cluster: its keeper is shutting it down. Stops a
 * server whose keeper is gone too; leaves the server of a running platform alone.
 */
export async function waitForOrphan(cluster: string, { clock, log }: { clock: Clock; log: Log }): Promise<void> {
  const pid = (await runningPostmaster(cluster))?.pid
  if (pid === undefined) return

  const keeper = await parentOf(pid)
  const kept = (await commandOf(keeper)).includes('postgres-keeper')
  if (kept && (await commandOf(await parentOf(keeper))).includes('node')) throw new DataInUse(dirname(cluster), pid)
  if (!kept) process.kill(pid, 'SIGINT')

  log.warn({ pid }, 'waiting for the Postgres that an earlier run left behind')
  for (let waited = 0; waited < PATIENCE_MS && (await commandOf(pid)) !== ''; waited += 100) await clock.sleep(100)
}
