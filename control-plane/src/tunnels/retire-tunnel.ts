import type { GoAway } from '@svc/shared/wire/tunnel-hello.ts'
import type { HeldTunnel } from './tunnels.ts'

const POLL_MS = 250
/** Streams still open after this time are cut. */
const PATIENCE_MS = 30_000
/** Other replicas have this long to stop opening streams before the tunnel refuses them. */
const HOP_PATIENCE_MS = 2_000

/** Directs requests elsewhere, tells the daemon, lets open streams finish, then closes the tunnel. */
export function retireTunnel(held: HeldTunnel, goAway: GoAway, patienceMs = PATIENCE_MS): void {
  const { tunnel, pool, hops } = held
  if (tunnel.closed || held.retiring) return
  held.retiring = true
  pool.close()
  for (const hop of hops) hop.leave(goAway)
  if (hops.size === 0) tunnel.leave(goAway)

  let waited = 0
  const timer = setInterval(() => {
    waited += POLL_MS
    if (hops.size === 0 || waited >= HOP_PATIENCE_MS) tunnel.leave(goAway)
    const busy = tunnel.streamCount > 0 || (hops.size > 0 && waited < HOP_PATIENCE_MS)
    if (!tunnel.closed && busy && waited < patienceMs) return
    clearInterval(timer)
    tunnel.close(1012, goAway.reason)
  }, POLL_MS)
}
