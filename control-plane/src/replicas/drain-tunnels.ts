import type { Clock } from '@svc/shared/kit/clock.ts'
import { frameTypes } from '@svc/shared/mux/frame.ts'
import type { GoAway } from '@svc/shared/wire/tunnel-hello.ts'
import { retireTunnel } from '../tunnels/retire-tunnel.ts'
import type { TunnelDirectory } from './tunnel-directory.ts'
import type { Tunnels } from '../tunnels/tunnels.ts'

/** Daemons are moved to other replicas within this time, sooner when there are few. */
const SPREAD_MS = 10_000
/** Tunnels that remain at the end have this long to finish their streams. */
const REST_MS = 3_000
/** Load balancers stop routing here within this time; requests are served until then. */
const LEAST_MS = 3_000
const POLL_MS = 100

type Options = { tunnels: Tunnels; directory: TunnelDirectory; acceptsPerSecond: number; clock: Clock }

/**
 * Moves every daemon to another replica, spread over time. While there are other replicas, requests continue here until
 * the daemon is connected there; an only replica just lets open requests finish.
 */
export function createDrainTunnels({ tunnels, directory, acceptsPerSecond, clock }: Options) {
  return async (patienceMs: number): Promise<void> => {
    const alone = directory.replicaCount() <= 1
    await directory.leave()
    const all = tunnels.all()
    const spreadMs = Math.min(SPREAD_MS, (all.length / acceptsPerSecond) * 1000)
    all.forEach((held, index) => {
      const goAway: GoAway = {
        reason: 'draining',
        reconnectAfterMs: Math.round((index / all.length) * spreadMs),
      }
      if (alone) retireTunnel(held, goAway, patienceMs)
      else held.tunnel.tell(frameTypes.goAway, goAway)
    })

    const since = clock.monotonic()
    const until = since + patienceMs
    const least = alone ? since : since + Math.min(LEAST_MS, patienceMs)
    while ((tunnels.all().length > 0 && clock.monotonic() < until) || clock.monotonic() < least) {
      if (clock.monotonic() >= until - REST_MS)
        for (const held of tunnels.all()) retireTunnel(held, { reason: 'draining', reconnectAfterMs: 0 }, REST_MS)
      await clock.sleep(POLL_MS)
    }
  }
}
