import type { Clock } from '@svc/shared/kit/clock.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { onRequestAsyncHookHandler } from 'fastify'
import type { Redis } from 'ioredis'

/** One call to be counted: its purpose, its caller, and how many are allowed in how many seconds. */
export type Counted = { key: string; client: string; max: number; seconds: number }

/** Counts a call; throws too_many_requests with the seconds that are left. */
export type RateLimit = (counted: Counted) => Promise<void>

/**
 * Where counters are stored: memory of one replica, or Redis for several. Returns the count and the milliseconds left.
 */
export type Counters = { increment(key: string, seconds: number): Promise<{ count: number; leftMs: number }> }

/**
 * Limits calls in fixed windows, each limit multiplied by a factor. An IPv6 client counts by its /64, the range that
 * one client gets.
 */
export function createRateLimit(counters: Counters, factor = 1): RateLimit {
  return async ({ key, client, max, seconds }) => {
    const { count, leftMs } = await counters.increment(`limit:${key}:${clientBucket(client)}`, seconds)
    if (count <= max * factor) return
    throw fail('too_many_requests', undefined, { retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1_000)) })
  }
}

/** How often one client address may call, under the name by which calls are counted. */
export type AddressLimit = Omit<Counted, 'client'>

/**
 * The hook that limits a route by the real address of its client. Put it after the guard: callers who are not allowed
 * anyway spend nothing of the limit of others at their address.
 */
export function limitByAddress(rateLimit: RateLimit, limit: AddressLimit): onRequestAsyncHookHandler {
  return async ({ clientAddress }) => rateLimit({ ...limit, client: clientAddress })
}

/** The name under which a client's calls are counted: its address, or the /64 of an IPv6 address. */
export function clientBucket(client: string): string {
  if (!/^[0-9a-f:]+(?:\.[0-9.]+)?$/i.test(client) || !client.includes(':')) return client
  if (client.toLowerCase().startsWith('::ffff:')) return client.slice(7)
  const [head = '', tail] = client.split('::')
  const groups = head.split(':').filter(Boolean)
  const after = (tail ?? '').split(':').filter(Boolean)
  const filled =
    tail === undefined ? groups : [...groups, ...Array(8 - groups.length - after.length).fill('0'), ...after]
  return filled.slice(0, 4).join(':')
}

const KEYS_AT_MOST = 100_000
/** A sweep leaves room for many new keys: it walks all of them, so no flood of new ones may cause it each time. */
const KEYS_AFTER_SWEEP = 90_000

/** Counts in this process. Drops past windows when the map grows. */
export function createMemoryCounters(clock: Clock): Counters {
  const windows = new Map<string, { count: number; endsAt: number }>()
  const sweep = (now: number) => {
    for (const [key, { endsAt }] of windows) if (endsAt <= now) windows.delete(key)
    // If too few have passed, those that began first end early.
    for (const key of windows.keys()) {
      if (windows.size <= KEYS_AFTER_SWEEP) break
      windows.delete(key)
    }
  }

  return {
    increment: async (key, seconds) => {
      const now = clock.monotonic()
      if (windows.size >= KEYS_AT_MOST) sweep(now)
      const open = windows.get(key)
      const window = open !== undefined && open.endsAt > now ? open : { count: 0, endsAt: now + seconds * 1_000 }
      window.count += 1
      if (window !== open) windows.delete(key) // a new window goes to the end
      windows.set(key, window)
      return { count: window.count, leftMs: window.endsAt - now }
    },
  }
}

const INCREMENT = `
local count = redis.call('incr', KEYS[1])
if count == 1 then redis.call('expire', KEYS[1], ARGV[1]) end
return { count, redis.call('pttl', KEYS[1]) }`

/** Counts in Redis, for all replicas. */
export function createRedisCounters(redis: Redis): Counters {
  return {
    increment: async (key, seconds) => {
      const [count = 0, leftMs = 0] = (await redis.eval(INCREMENT, 1, `svc:${key}`, seconds)) as number[]
      return { count, leftMs }
    },
  }
}

/**
 * Falls back to another store while Redis is away: a limit per replica is better than none, or than a failed request.
 */
export function createCountersWithSpare(counters: Counters, spare: Counters): Counters {
  return { increment: (key, seconds) => counters.increment(key, seconds).catch(() => spare.increment(key, seconds)) }
}

/** Counts for all replicas where they share Redis, otherwise for this process. */
export function createCounters({ redis, clock }: { redis: Redis | undefined; clock: Clock }): Counters {
  const own = createMemoryCounters(clock)
  return redis === undefined ? own : createCountersWithSpare(createRedisCounters(redis), own)
}
