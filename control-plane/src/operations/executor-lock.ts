import { hostname } from 'node:os'
import pg from 'pg'
import { fullJitter } from '@svc/shared/kit/backoff.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { randomBase32 } from '@svc/shared/wire/new-id.ts'
import { EXECUTOR_LOCK } from '../db/advisory-locks.ts'
import { keptAlive } from '../db/database.ts'

type Deps = { databaseUrl: Secret; executor: string; clock: Clock; log: Log; random: () => number }

/** A unique name for this process as an executor: replica and boot. */
export const newExecutorName = (): string => `${hostname()}-${process.pid}:${randomBase32(12)}`

/** A held executor lock. */
export type ExecutorLock = { release(): Promise<void> }

const BACKOFF = { baseMs: 200, capMs: 5_000 }

/**
 * Holds a session advisory lock named after this executor on a connection of its own, for the life of the process.
 * Recovery refuses claims of an executor that holds its lock. A lost connection is reopened; until then only the epochs
 * protect against two executors. Needs a direct connection: a transaction pooler would share the session.
 */
export async function holdExecutorLock({ databaseUrl, executor, clock, log, random }: Deps): Promise<ExecutorLock> {
  const stop = new AbortController()
  let client: pg.Client | undefined

  const connect = async (): Promise<void> => {
    const next = new pg.Client({ connectionString: databaseUrl.reveal(), ...keptAlive })
    next.on('error', (error) => log.warn({ err: error }, 'the executor lock was lost'))
    try {
      await next.connect()
      await next.query('select pg_advisory_lock($1, hashtext($2))', [EXECUTOR_LOCK, executor])
    } catch (error) {
      await next.end().catch(() => {})
      throw error
    }
    client = next
    next.once('end', () => void reconnect())
  }

  const reconnect = async (): Promise<void> => {
    for (let attempt = 0; !stop.signal.aborted; attempt++) {
      try {
        await clock.sleep(fullJitter(attempt, BACKOFF, random), stop.signal)
        return await connect()
      } catch (error) {
        if (!stop.signal.aborted) log.warn({ err: error, attempt }, 'the executor lock is not held')
      }
    }
  }

  await connect()
  return {
    release: async () => {
      stop.abort()
      await client?.end().catch(() => {})
    },
  }
}
