import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import { frameTypes } from '@svc/shared/mux/frame.ts'
import type { GoAway } from '@svc/shared/wire/tunnel-hello.ts'
import { excessOf, shouldMove } from './choose-move.ts'
import type { PublishTunnels } from './publish-tunnels.ts'
import type { Replica, TunnelDirectory } from './tunnel-directory.ts'
import type { HeldTunnel, Tunnels } from '../tunnels/tunnels.ts'

const PASS_MS = 5_000
/** Share of the accept budget for moves, so that daemons that lost their replica come first. */
const SHARE = 0.1
/**
 * A replica receives moves once it has been there for this long: load balancers know it by then, and it is not in a
 * restart loop.
 */
const STEADY_MS = 10_000
/** A daemon that has not moved by then stays. */
const GIVE_UP_MS = 60_000
/** A daemon is asked again after this time, doubled after each attempt that failed. */
const AGAIN_MS = 30_000
const AGAIN_AT_MOST_MS = 3_600_000

type Options = {
  replicaId: string
  tunnels: Tunnels
  directory: TunnelDirectory
  renew: PublishTunnels['renew']
  acceptsPerSecond: number
  /** False once this replica drains. */
  staying: () => boolean
  clock: Clock
  log: Log
  random?: () => number
}

/**
 * Rebalances tunnels after replicas have joined: daemons with several tunnels here, and tunnels above this replica's
 * share. Each replica looks at its own tunnels only, uses a tenth of its accept budget at most, and moves one tunnel of
 * a daemon at a time. The tunnel serves until the daemon is connected elsewhere, so no request fails.
 */
export function createRebalanceTunnels({ replicaId, tunnels, directory, renew, acceptsPerSecond, ...rest }: Options) {
  const { staying, clock, log, random = Math.random } = rest
  const movesPerPass = Math.max(1, Math.floor((acceptsPerSecond * SHARE * PASS_MS) / 1000))
  const seenSince = new Map<string, number>()
  const pauses = new Map<string, { until: number; ms: number }>()
  const asked = new Map<HeldTunnel, number>()

  const steadyReplicas = (): Replica[] => {
    const now = clock.monotonic()
    const present = directory.replicas()
    for (const id of seenSince.keys()) if (!present.some((one) => one.replicaId === id)) seenSince.delete(id)
    for (const one of present) if (!seenSince.has(one.replicaId)) seenSince.set(one.replicaId, now)
    return present.filter((one) => one.replicaId === replicaId || now - seenSince.get(one.replicaId)! >= STEADY_MS)
  }

  const forgetOld = () => {
    const now = clock.monotonic()
    for (const [orgId, { until, ms }] of pauses) if (now > until + ms) pauses.delete(orgId)
    for (const [held, at] of asked) {
      if (!held.retiring && !held.tunnel.closed && now - at < GIVE_UP_MS) continue
      asked.delete(held)
      held.leaving = false
      renew(held)
    }
  }

  const ask = (held: HeldTunnel) => {
    const now = clock.monotonic()
    const before = pauses.get(held.orgId)
    const ms = Math.min(before === undefined ? AGAIN_MS : before.ms * 2, AGAIN_AT_MOST_MS)
    pauses.set(held.orgId, { until: now + ms, ms })
    asked.set(held, now)
    held.leaving = true
    renew(held)
    const goAway: GoAway = { reason: 'overloaded', reconnectAfterMs: Math.round(random() * PASS_MS) }
    held.tunnel.tell(frameTypes.goAway, goAway)
  }

  /**
   * The staying tunnels of this replica, by organization; organizations with several here come first, the others in
   * random order.
   */
  const candidates = (): HeldTunnel[][] => {
    const byOrg = new Map<string, HeldTunnel[]>()
    for (const held of tunnels.all())
      if (!held.retiring && !held.leaving) byOrg.set(held.orgId, [...(byOrg.get(held.orgId) ?? []), held])
    const ready = [...byOrg.values()].filter(([held]) => (pauses.get(held!.orgId)?.until ?? 0) <= clock.monotonic())
    const start = Math.floor(random() * ready.length)
    const turned = [...ready.slice(start), ...ready.slice(0, start)]
    return turned.sort((a, b) => Math.min(b.length, 2) - Math.min(a.length, 2))
  }

  const pass = async (): Promise<void> => {
    forgetOld()
    const replicas = steadyReplicas()
    if (replicas.length < 2) return
    let excess = excessOf(replicaId, replicas)
    let moved = 0
    let looks = 2 * movesPerPass
    for (const here of candidates()) {
      if (!staying() || moved >= movesPerPass || looks === 0 || (here.length < 2 && excess === 0)) break
      looks -= 1
      const [held] = here as [HeldTunnel]
      const { entries } = await directory.find(held.orgId)
      const elsewhere = entries.filter((entry) => entry.replicaId !== replicaId && !entry.leaving)
      const holders = [...here.map(() => replicaId), ...elsewhere.map((entry) => entry.replicaId)]
      if (!shouldMove({ replicaId, replicas, holders, overloaded: excess > 0 })) continue
      ask(held)
      moved += 1
      excess = Math.max(0, excess - 1)
    }
    if (moved > 0) log.info({ moved }, 'tunnels were asked to other replicas')
  }

  return repeat({ everyMs: PASS_MS, task: pass, first: 'after_interval', clock, log, name: 'rebalance of tunnels' })
}
