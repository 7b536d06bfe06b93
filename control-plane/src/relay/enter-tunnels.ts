import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '../entry/revocation-feed.ts'
import { retireTunnel } from './retire-tunnel.ts'
import type { TunnelDirectory } from './tunnel-directory.ts'
import type { HeldTunnel, Tunnels } from './tunnels.ts'

const RENEW_MS = 10_000
/** Renewals that are on their way to the directory at once. */
const BATCH = 200

type Options = { tunnels: Tunnels; directory: TunnelDirectory; maxTunnels: number; clock: Clock; log: Log }

/**
 * Keeps the directory true to what this replica holds: entered at once, renewed every ten seconds and whenever the
 * directory comes back from a failure. A tunnel whose instance was superseded is closed.
 */
export function createEnterTunnels({ tunnels, directory, maxTunnels, clock, log }: Options) {
  const enter = async (held: HeldTunnel): Promise<void> => {
    if (held.retiring || held.tunnel.closed) return
    const answer = await directory.register(held)
    if (answer === 'superseded') {
      log.warn({ orgId: held.orgId, connectionId: held.connectionId }, 'another daemon has taken over')
      held.tunnel.leave({ reason: 'instance_conflict', reconnectAfterMs: 60_000 })
      return held.tunnel.close(4409, 'daemon_instance_conflict')
    }
    held.epoch = answer
    // It may have gone while it was entered.
    if (held.retiring || held.tunnel.closed) await directory.remove(held.orgId, held.connectionId)
  }
  const report = (work: Promise<unknown>) =>
    void work.catch((error: unknown) => log.warn({ err: error }, 'the tunnel directory could not be written'))

  const renewAll = async (): Promise<void> => {
    const all = tunnels.all()
    for (let from = 0; from < all.length; from += BATCH) await Promise.all(all.slice(from, from + BATCH).map(enter))
  }
  const renewing = repeat({ everyMs: RENEW_MS, task: renewAll, clock, log, name: 'tunnel directory' })
  directory.onReturn(() => report(renewAll()))

  /** A daemon may hold a few tunnels, wherever they end; the oldest go. */
  const limit = async (orgId: string): Promise<void> => {
    const held = tunnels.list(orgId)
    if (held.length === 0) return
    const { entries } = await directory.refresh(orgId)
    if (entries.length <= maxTunnels) return
    const newest = entries.toSorted((a, b) => b.connectedAt.localeCompare(a.connectedAt)).slice(0, maxTunnels)
    for (const one of held)
      if (entries.some(({ connectionId }) => connectionId === one.connectionId))
        if (!newest.some(({ connectionId }) => connectionId === one.connectionId))
          retireTunnel(one, { reason: 'replaced', reconnectAfterMs: 0 })
  }
  directory.onChange((orgId) => report(limit(orgId)))

  return {
    entered: (held: HeldTunnel): void => report(enter(held)),
    left: ({ orgId, connectionId }: HeldTunnel): void => report(directory.remove(orgId, connectionId)),
    start: renewing.start,
    close: renewing.close,
  }
}

export type EnterTunnels = ReturnType<typeof createEnterTunnels>
