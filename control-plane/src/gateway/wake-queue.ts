import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Eventual } from '@svc/shared/kit/eventual.ts'
import { createInTurns } from '@svc/shared/kit/in-turns.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { StoreUnavailable } from '@svc/shared/wire/managed-daemon-store.ts'
import type { RequestEnd } from './request-end.ts'
import { createWakingTimes } from './waking-times.ts'
import type { RecentDepartures } from '../tunnels/recent-departures.ts'
import type { OpenTunnel, Tunnels } from '../tunnels/tunnels.ts'

/** Requests are held this long while a daemon wakes. */
const WAKE_MS = 25_000
/** A daemon that disconnected a moment ago will probably reconnect, for example while a replica drains. */
export const BLIP_MS = 3_000
/** A page can show that it is waiting, so hold it only for as long as a person hardly notices. */
export const PAGE_MS = 1_500
const MAX_WAITING = 100
/** Maximum number of organizations whose state is read, or that are woken, at the same time. */
const READ_AT_ONCE = 16

/** A reason of its own: an abort without one makes an error with a stack for every request that was held. */
const ENDED = Symbol('ended')

/** The state of a hosted organization's daemon; `not_hosted` for organizations that run their own. */
export type HostedState = 'not_hosted' | 'running' | 'sleeping' | 'starting' | 'failed'
/** The managed daemons for the relay. `wakeIfAsleep` wakes a daemon that sleeps, and returns its state before. */
export type HostedDaemons = {
  state(orgId: string): Promise<HostedState>
  wakeIfAsleep(orgId: string): Promise<HostedState>
}

/** `unknown` while the resources cannot be read: the daemon may sleep without anybody waking it, so ask again soon. */
const orUnknown = (state: Promise<HostedState>): Promise<HostedState | 'unknown'> =>
  state.catch((error: unknown) => {
    if (error instanceof StoreUnavailable) return 'unknown'
    throw error
  })

type Options = {
  tunnels: {
    /** The tunnels of this replica. */
    held: Tunnels
    departures: RecentDepartures
    /** A tunnel of another replica, over one hop. */
    findElsewhere(orgId: string): Promise<OpenTunnel | undefined>
  }
  hosted: HostedDaemons
  /** How long requests are held while a daemon wakes. */
  wakeMs?: number | undefined
  clock: Pick<Clock, 'sleep' | 'monotonic'>
}
type Wanted = { orgId: string; person: string; requestEnd: RequestEnd }

/**
 * Finds the tunnel for a request, here or through another replica. Wakes a sleeping daemon and holds a bounded number
 * of requests meanwhile.
 */
export function createWakeQueue({
  tunnels: { held: tunnels, departures, findElsewhere: elsewhere },
  hosted,
  wakeMs = WAKE_MS,
  clock,
}: Options) {
  const { isRecent } = departures
  const waiting = new Map<string, string[]>()
  const waking = new Map<string, Promise<HostedState>>()
  const inTurn = createInTurns(READ_AT_ONCE)
  const wakingTimes = createWakingTimes(clock)

  const hold = async ({ orgId, person, requestEnd }: Wanted, ms: number): Promise<OpenTunnel | undefined> => {
    const people = waiting.get(orgId) ?? []
    const free = MAX_WAITING - people.length
    // One person may not hold more places than are left for everyone else.
    const own = people.filter((one) => one === person).length
    if (free === 0 || (own > 0 && own >= free)) throw fail('relay_overloaded')
    people.push(person)
    waiting.set(orgId, people)
    const over = new AbortController()
    const end = () => over.abort(ENDED)
    void clock.sleep(ms, over.signal).then(end, end)
    requestEnd.onEnd(end)
    try {
      while (!over.signal.aborted) {
        // The wait begins before other replicas are asked: a tunnel that comes while they are is not missed.
        const change = tunnels.waitForChange(orgId, over.signal)
        const found = await Promise.race([change, elsewhere(orgId).then((other) => other ?? change)])
        if (found !== undefined) return found
      }
      // The last look, because the message of another replica can be lost.
      return requestEnd.over ? undefined : await elsewhere(orgId)
    } finally {
      end()
      people.splice(people.indexOf(person), 1)
      if (people.length === 0 && waiting.get(orgId) === people) waiting.delete(orgId)
    }
  }

  /** Reads the state of a hosted daemon and wakes it if it sleeps; concurrent requests share one call. */
  const wakeIfAsleep = (orgId: string): Promise<HostedState> => {
    const underWay = waking.get(orgId)
    if (underWay !== undefined) return underWay
    const state = inTurn(() => hosted.wakeIfAsleep(orgId)).finally(() => waking.delete(orgId))
    waking.set(orgId, state)
    return state
  }

  const findWithin = async (wanted: Wanted, patienceMs: number): Promise<OpenTunnel> => {
    const { orgId } = wanted
    const now = await elsewhere(orgId)
    if (now !== undefined) return now
    if (isFull(orgId)) throw fail('relay_overloaded')

    return holdFor(wanted, await orUnknown(wakeIfAsleep(orgId)), patienceMs)
  }

  /** Waits for the daemon's tunnel, if a daemon in this state can be expected to connect. */
  const holdFor = async (wanted: Wanted, state: HostedState | 'unknown', patienceMs: number): Promise<OpenTunnel> => {
    const { orgId } = wanted
    const comes = state !== 'not_hosted' && state !== 'failed'
    const held = comes || isRecent(orgId)
    if (comes) wakingTimes.waits(orgId)
    const isExpected = comes && state !== 'unknown'
    const found = held ? await hold(wanted, isExpected ? patienceMs : Math.min(patienceMs, BLIP_MS)) : undefined
    if (found !== undefined) {
      wakingTimes.came(orgId)
      return found
    }
    if (!comes) throw fail('daemon_offline', undefined, { retryAfterSeconds: 5 })
    const waitedSeconds = Math.floor(wakingTimes.waits(orgId) / 1000)
    throw fail('daemon_waking', { waitedSeconds }, { retryAfterSeconds: 2 })
  }

  const isFull = (orgId: string) => tunnels.list(orgId).some(({ tunnel, retiring }) => !tunnel.closed && !retiring)

  const findAwakeLater = async (wanted: Wanted): Promise<OpenTunnel | 'asleep'> => {
    const now = await elsewhere(wanted.orgId)
    if (now !== undefined) return now
    if (isFull(wanted.orgId)) throw fail('relay_overloaded')
    // The state is read once: a second look might find the daemon asleep and wake it.
    const state = await orUnknown(hosted.state(wanted.orgId))
    return state === 'sleeping' ? 'asleep' : holdFor(wanted, state, wakeMs)
  }

  return {
    /** The tunnel to use now, or after a wait; fails with `daemon_offline`, `daemon_waking` or `relay_overloaded`. */
    find: (wanted: Wanted): Eventual<OpenTunnel> => tunnels.find(wanted.orgId) ?? findWithin(wanted, wakeMs),

    /** Like `find`, for a page. A page is held only briefly, because it can show that it is waiting. */
    findNow: (wanted: Wanted): Eventual<OpenTunnel> => tunnels.find(wanted.orgId) ?? findWithin(wanted, PAGE_MS),

    /**
     * Like `find`, for a stream that only listens. It never wakes a daemon; the result says that the daemon is asleep.
     */
    findAwake: (wanted: Wanted): Eventual<OpenTunnel | 'asleep'> =>
      tunnels.find(wanted.orgId) ?? findAwakeLater(wanted),
  }
}

export type WakeQueue = ReturnType<typeof createWakeQueue>
