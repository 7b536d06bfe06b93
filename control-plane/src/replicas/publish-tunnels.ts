import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import type { GoAway } from '@svc/shared/wire/tunnel-hello.ts'
import { retireTunnel } from '../tunnels/retire-tunnel.ts'
import { MAX_ENTRIES, type TunnelDirectory } from './tunnel-directory.ts'
import type { HeldTunnel, Tunnels } from '../tunnels/tunnels.ts'

const RENEW_MS = 10_000
/**
 * A daemon with too many tunnels redials after this delay. Otherwise two processes with the same home would replace
 * each other forever.
 */
const CROWDED_MS = 30_000
const CONFLICT_MS = 60_000
/** Maximum number of concurrent renewals. */
const BATCH = 200

type Options = {
  tunnels: Tunnels
  directory: TunnelDirectory
  maxTunnelsOf: (orgId: string) => number
  clock: Clock
  log: Log
}

/**
 * Holds tunnels and keeps their entries in the directory: registered before use, renewed every ten seconds and whenever
 * the directory recovers from a failure. Closes a tunnel whose instance was superseded.
 *
 * On all replicas together, a daemon keeps as many tunnels as `maxTunnelsOf` allows its organization. One more replaces
 * the oldest, which still completes its requests. Tunnels that were asked to leave do not count. Including those there
 * are at most `MAX_ENTRIES`: a daemon that dials faster than its old tunnels close is refused. While the directory is
 * unavailable, both limits apply to each replica separately.
 */
export function createPublishTunnels({ tunnels, directory, maxTunnelsOf, clock, log }: Options) {
  const warn = (error: unknown): undefined => {
    log.warn({ err: error }, 'the tunnel directory could not be written')
  }
  const report = (work: Promise<unknown>) => void work.catch(warn)

  const refuse = ({ orgId, connectionId, tunnel }: HeldTunnel, why: 'superseded' | 'full') => {
    const conflict = why === 'superseded'
    log.warn({ orgId, connectionId }, conflict ? 'another daemon has taken over' : 'a daemon holds too many tunnels')
    const reason = conflict ? 'instance_conflict' : 'overloaded'
    tunnel.leave({ reason, reconnectAfterMs: conflict ? CONFLICT_MS : CROWDED_MS } satisfies GoAway)
    tunnel.close(conflict ? 4409 : 1012, conflict ? 'daemon_instance_conflict' : 'too many tunnels')
  }

  /** Retires the tunnels of this replica that are not among the newest few, wherever those are. */
  const limit = async (orgId: string): Promise<void> => {
    if (tunnels.list(orgId).length === 0) return
    const { entries } = await directory.refresh(orgId)
    const replicas = directory.replicas().map(({ replicaId }) => replicaId)
    const here = tunnels.list(orgId)
    const staying = here.filter(({ retiring, leaving }) => !retiring && !leaving)
    // A killed or draining replica no longer counts; its entries expire.
    const elsewhere = entries.filter(
      ({ connectionId, replicaId, leaving }) =>
        !leaving &&
        !here.some((held) => held.connectionId === connectionId) &&
        (replicas.length === 0 || replicas.includes(replicaId)),
    )
    const newest = [
      ...elsewhere.map(({ connectedAt }) => ({ held: undefined, at: Date.parse(connectedAt) })),
      ...staying.map((held) => ({ held, at: held.connectedAt.getTime() })),
    ].toSorted((a, b) => b.at - a.at)
    for (const { held } of newest.slice(maxTunnelsOf(orgId)))
      if (held !== undefined) retireTunnel(held, { reason: 'replaced', reconnectAfterMs: CROWDED_MS })
  }
  directory.onChange((orgId) => report(limit(orgId)))

  const renew = async (held: HeldTunnel): Promise<void> => {
    if (held.retiring || held.tunnel.closed) return
    const answer = await directory.register(held)
    if (answer === 'superseded' || answer === 'full') return refuse(held, answer)
    held.epoch = answer.epoch
    // The tunnel may have closed during its registration.
    if (held.retiring || held.tunnel.closed) return directory.remove(held.orgId, held.connectionId)
    if (answer.tunnels > maxTunnelsOf(held.orgId)) await limit(held.orgId)
  }

  const renewAll = async (): Promise<void> => {
    const all = tunnels.all()
    for (let from = 0; from < all.length; from += BATCH) await Promise.all(all.slice(from, from + BATCH).map(renew))
  }
  const renewing = repeat({
    everyMs: RENEW_MS,
    task: renewAll,
    first: 'after_interval',
    clock,
    log,
    name: 'tunnel directory',
  })
  directory.onReturn(() => report(renewAll()))

  return {
    /** Registers a new tunnel and holds it; returns false and closes the tunnel when it may not be held. */
    hold: async (held: HeldTunnel): Promise<boolean> => {
      const answer = await directory.register(held).catch(warn)
      const full = answer === 'full' || tunnels.list(held.orgId).length >= MAX_ENTRIES
      if (full || answer === 'superseded') {
        refuse(held, full ? 'full' : 'superseded')
        return false
      }
      if (held.tunnel.closed) return false
      held.epoch = answer?.epoch
      tunnels.add(held)
      if (answer === undefined || answer.tunnels > maxTunnelsOf(held.orgId)) report(limit(held.orgId))
      return true
    },
    /** Updates the directory entry of a held tunnel. */
    renew: (held: HeldTunnel): void => report(renew(held)),
    left: ({ orgId, connectionId }: HeldTunnel): void => report(directory.remove(orgId, connectionId)),
    start: renewing.start,
    close: renewing.close,
  }
}

export type PublishTunnels = ReturnType<typeof createPublishTunnels>
