import { once } from 'node:events'
import { sql } from 'kysely'
import pg from 'pg'
import type { Redis } from 'ioredis'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { ConfigurationError } from '@svc/shared/kit/configuration-error.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import type { Db } from './db/database.ts'

/** Postgres or Redis did not respond in time at the start. This process is fine: start it again later. */
export class NotReachable extends Error {
  override name = 'NotReachable'
}

type Attempt = {
  /** The variable that holds the address. */
  variable: string
  url: Secret
  ask: () => Promise<unknown>
  /** True when the error is about the configuration, so that another attempt cannot succeed. */
  isRefusal: (error: unknown) => boolean
}
type Waiting = { clock: Clock; log: Log; withinMs: number }

const EVERY_MS = 500
const CONNECTED_WITHIN_MS = 2_000

/**
 * Waits until Postgres responds. Throws `ConfigurationError` when it refuses the login, `NotReachable` when it cannot
 * be reached.
 */
export function reachDatabase(db: Db, { url, variable }: Pick<Attempt, 'url' | 'variable'>, waiting: Waiting) {
  return reach({ variable, url, ask: () => sql`select 1`.execute(db), isRefusal: isRefusedByPostgres }, waiting)
}

/** Waits until Redis responds, with the same failures. Its client connects in the background. */
export async function reachRedis(redis: Redis, url: Secret, waiting: Waiting): Promise<void> {
  let last: unknown
  const keep = (error: unknown) => (last = error)
  redis.on('error', keep)
  const ask = async () => {
    try {
      await connected(redis, waiting.clock)
      await redis.ping()
    } catch (error) {
      // The connection error names the cause; the error of a command only says that there is no connection.
      throw last ?? error
    }
  }
  try {
    await reach({ variable: 'REDIS_URL', url, ask, isRefusal: isRefusedByRedis }, waiting)
  } finally {
    redis.off('error', keep)
  }
}

/** Waits for the next connection; rejects with the error that prevents it. */
async function connected(redis: Redis, clock: Clock): Promise<void> {
  if (redis.status === 'ready') return
  const over = new AbortController()
  const { signal } = over
  try {
    await Promise.race([
      once(redis, 'ready', { signal }),
      clock.sleep(CONNECTED_WITHIN_MS, signal).then(() => Promise.reject(new Error('it does not respond'))),
    ])
  } finally {
    over.abort()
  }
}

async function reach({ variable, url, ask, isRefusal }: Attempt, { clock, log, withinMs }: Waiting) {
  const until = clock.monotonic() + withinMs
  for (let attempt = 1; ; attempt += 1) {
    const failure = await ask().then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    if (failure === undefined) return
    const reason = reasonOf(failure.error)
    const where = addressOf(url)
    if (isRefusal(failure.error))
      throw new ConfigurationError([{ path: variable, message: `${where} refused: ${reason}. Correct the address.` }])
    if (attempt > 1 && clock.monotonic() >= until)
      throw new NotReachable(`${variable}: ${where} cannot be reached: ${reason}. Start it, or correct the address.`)
    if (attempt === 1) log.warn({ variable, where, reason }, 'not reachable yet: waiting')
    await clock.sleep(EVERY_MS)
  }
}

// 28: wrong user or password. 3D000: there is no such database.
const isRefusedByPostgres = (error: unknown) =>
  error instanceof pg.DatabaseError && (error.code?.startsWith('28') === true || error.code === '3D000')
const isRefusedByRedis = (error: unknown) => /\b(WRONGPASS|NOAUTH|NOPERM)\b/.test(reasonOf(error))

// A name with several addresses gives an AggregateError without a message of its own.
function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error]
  return first instanceof Error ? first.message || first.name : String(first)
}

/** Host, port and name, without user and password. */
function addressOf(url: Secret): string {
  try {
    const { protocol, host, pathname } = new URL(url.reveal())
    return `${protocol}//${host}${pathname}`
  } catch {
    return 'the address'
  }
}
