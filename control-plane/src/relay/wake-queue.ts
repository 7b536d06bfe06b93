import type { Clock } from '@svc/shared/kit/clock.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { HeldTunnel, Tunnels } from './tunnels.ts'

const WAKE_MS = 25_000
/** A daemon that was here a moment ago is likely on its way back, for example while a replica drains. */
const BLIP_MS = 3_000
const RECENT_MS = 15_000
const MAX_WAITING = 100

/** What is known of a hosted organization's runtime; `not_hosted` for those that run their own daemon. */
export type HostedState = 'not_hosted' | 'running' | 'sleeping' | 'starting' | 'failed'
/** The managed daemons as the relay needs them. `wake` is an idempotent request to run. */
export type HostedDaemons = { state(orgId: string): Promise<HostedState>; wake(orgId: string): Promise<void> }

type Options = { tunnels: Tunnels; hosted: HostedDaemons; clock: Pick<Clock, 'monotonic'> }
type Wanted = { orgId: string; signal: AbortSignal }

/** Finds the tunnel for a request, waking a sleeping daemon and holding a bounded number of requests meanwhile. */
export function createWakeQueue({ tunnels, hosted, clock }: Options) {
  const waiting = new Map<string, number>()
  const lastSeen = new Map<string, number>()

  const hold = async ({ orgId, signal }: Wanted, ms: number): Promise<HeldTunnel | undefined> => {
    const count = waiting.get(orgId) ?? 0
    if (count >= MAX_WAITING) throw fail('relay_overloaded')
    waiting.set(orgId, count + 1)
    const over = new AbortController()
    const timer = setTimeout(() => over.abort(), ms)
    try {
      return await tunnels.waitFor(orgId, AbortSignal.any([signal, over.signal]))
    } finally {
      clearTimeout(timer)
      const left = (waiting.get(orgId) ?? 1) - 1
      if (left === 0) waiting.delete(orgId)
      else waiting.set(orgId, left)
    }
  }

  return {
    /** The tunnel to use now, or after a wait; fails with `daemon_offline`, `daemon_waking` or `relay_overloaded`. */
    find: async (wanted: Wanted): Promise<HeldTunnel> => {
      const { orgId } = wanted
      const now = tunnels.find(orgId)
      if (now !== undefined) return now
      if (tunnels.list(orgId).some(({ tunnel }) => !tunnel.closed)) throw fail('relay_overloaded')

      const state = await hosted.state(orgId)
      if (state === 'sleeping') await hosted.wake(orgId)
      const wakes = state === 'sleeping' || state === 'starting' || state === 'running'
      const recent = clock.monotonic() - (lastSeen.get(orgId) ?? Number.NEGATIVE_INFINITY) < RECENT_MS
      const found = wakes ? await hold(wanted, WAKE_MS) : recent ? await hold(wanted, BLIP_MS) : undefined
      if (found !== undefined) return found
      throw wakes
        ? fail('daemon_waking', undefined, { retryAfterSeconds: 2 })
        : fail('daemon_offline', undefined, { retryAfterSeconds: 5 })
    },

    /** The same for a page: never held, since a page can say that it waits. */
    findNow: async (orgId: string): Promise<HeldTunnel> => {
      const now = tunnels.find(orgId)
      if (now !== undefined) return now
      const state = await hosted.state(orgId)
      if (state === 'sleeping') await hosted.wake(orgId)
      throw fail(state === 'not_hosted' || state === 'failed' ? 'daemon_offline' : 'daemon_waking')
    },

    /** The tunnel of a daemon that is there; nobody is woken and nothing waits. */
    connected: async (orgId: string): Promise<HeldTunnel> => {
      const now = tunnels.find(orgId)
      if (now === undefined) throw fail('daemon_offline', undefined, { retryAfterSeconds: 5 })
      return now
    },

    left: (orgId: string): void => {
      if (lastSeen.size > 10_000) lastSeen.clear()
      lastSeen.set(orgId, clock.monotonic())
    },
  }
}

export type WakeQueue = ReturnType<typeof createWakeQueue>
