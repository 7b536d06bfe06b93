import type { GoAway } from '@svc/shared/wire/tunnel-hello.ts'
import type { HeldTunnel } from './tunnels.ts'

const POLL_MS = 250
/** Streams that are still open after this long are cut. */
const PATIENCE_MS = 30_000

/** Tells the daemon to go elsewhere, lets open streams finish, then closes the tunnel. */
export function retireTunnel({ tunnel, pool }: HeldTunnel, goAway: GoAway, patienceMs = PATIENCE_MS): void {
  if (tunnel.closed) return
  tunnel.leave(goAway)
  pool.close()
  let waited = 0
  const timer = setInterval(() => {
    waited += POLL_MS
    if (!tunnel.closed && tunnel.streamCount > 0 && waited < patienceMs) return
    clearInterval(timer)
    tunnel.close(1012, goAway.reason)
  }, POLL_MS)
}
