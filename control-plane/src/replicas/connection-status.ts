import type { Clock } from '@svc/shared/kit/clock.ts'
import type { TunnelKeys } from '../daemon-keys/tunnel-keys.ts'
import type { TunnelDirectory } from './tunnel-directory.ts'
import type { Tunnels } from '../tunnels/tunnels.ts'

type Options = {
  tunnels: Tunnels
  directory: TunnelDirectory
  replicaId: string
  tunnelKeys: Pick<TunnelKeys, 'findDaemon'>
  clock: Clock
}

/** The connection of an organization, through whichever replica. */
export function createConnectionStatus({ tunnels, directory, replicaId, tunnelKeys, clock }: Options) {
  /** Tunnels held here, and those in the directory by other replicas. */
  const list = async (orgId: string) => {
    const here = tunnels
      .list(orgId)
      .map(({ keyId, version, connectedAt }) => ({ keyId, version, connectedAt: connectedAt.toISOString() }))
    const { entries } = await directory.find(orgId)
    return [...here, ...entries.filter((entry) => entry.replicaId !== replicaId)]
  }

  return {
    status: async (orgId: string) => {
      const held = await list(orgId)
      const daemon = await tunnelKeys.findDaemon(orgId)
      return {
        connected: held.length > 0,
        tunnels: held.length,
        version: held[0]?.version ?? daemon?.version ?? undefined,
        connectedSince: held.map(({ connectedAt }) => connectedAt).sort()[0],
        lastSeenAt: (held.length > 0 ? clock.now() : daemon?.last_seen_at)?.toISOString() ?? null,
        instanceConflict: daemon?.instance_conflict_at != null,
      }
    },
  }
}
