import type { Tunnel } from '@svc/shared/mux/tunnel.ts'
import type { DaemonPool } from './daemon-pool.ts'

/** A tunnel that this replica holds, with what the gateway and the status page need to know of its daemon. */
export type HeldTunnel = {
  connectionId: string
  orgId: string
  daemonId: string
  keyId: number
  instanceKey: string
  version: string
  connectedAt: Date
  tunnel: Tunnel
  /** HTTP over this tunnel only. */
  pool: DaemonPool
  /** The epoch of the directory entry, once the directory has responded. */
  epoch: number | undefined
  /** The daemon was asked to reconnect elsewhere. Requests still use this tunnel until it has. */
  leaving: boolean
  /** It takes no new requests. Requests in flight continue. */
  retiring: boolean
  /** Other replicas that reach the daemon through this tunnel. */
  hops: Set<Tunnel>
}

/** A tunnel that a request can use: held by this replica, or by another one that is one hop away. */
export type OpenTunnel = Pick<HeldTunnel, 'daemonId' | 'tunnel' | 'pool'>

/**
 * The tunnels of this replica. Calls `onPresence` when the daemon of an organization may have connected or
 * disconnected, on any replica.
 */
export function createTunnels(onPresence: (orgId: string) => void = () => {}) {
  const byOrg = new Map<string, Set<HeldTunnel>>()
  const waiting = new Map<string, Set<() => void>>()

  const list = (orgId: string): HeldTunnel[] => [...(byOrg.get(orgId) ?? [])]

  /** The tunnel with the fewest streams that takes new ones. */
  const find = (orgId: string): HeldTunnel | undefined => {
    let best: HeldTunnel | undefined
    for (const held of byOrg.get(orgId) ?? []) {
      const usable = !held.retiring && held.tunnel.available
      if (usable && (best === undefined || held.tunnel.streamCount < best.tunnel.streamCount)) best = held
    }
    return best
  }

  return {
    find,
    list,
    all: (): HeldTunnel[] => [...byOrg.values()].flatMap((set) => [...set]),

    add: (held: HeldTunnel): void => {
      byOrg.set(held.orgId, (byOrg.get(held.orgId) ?? new Set()).add(held))
      for (const wake of waiting.get(held.orgId) ?? []) wake()
      onPresence(held.orgId)
    },

    remove: (held: HeldTunnel): void => {
      const set = byOrg.get(held.orgId)
      set?.delete(held)
      if (set?.size === 0) byOrg.delete(held.orgId)
      onPresence(held.orgId)
    },

    /** Wakes everyone who waits for a tunnel of this organization, because something may have changed. */
    changed: (orgId: string): void => {
      for (const wake of waiting.get(orgId) ?? []) wake()
      onPresence(orgId)
    },

    /**
     * Resolves with a tunnel as soon as there is one here, or with undefined when the signal aborts or something changed
     * elsewhere.
     */
    waitForChange: (orgId: string, signal: AbortSignal): Promise<HeldTunnel | undefined> => {
      const now = find(orgId)
      if (now !== undefined || signal.aborted) return Promise.resolve(now)
      return new Promise((resolve) => {
        const set = waiting.get(orgId) ?? new Set()
        const finish = () => {
          set.delete(finish)
          if (set.size === 0 && waiting.get(orgId) === set) waiting.delete(orgId)
          signal.removeEventListener('abort', finish)
          resolve(find(orgId))
        }
        waiting.set(orgId, set.add(finish))
        signal.addEventListener('abort', finish, { once: true })
      })
    },
  }
}

export type Tunnels = ReturnType<typeof createTunnels>
