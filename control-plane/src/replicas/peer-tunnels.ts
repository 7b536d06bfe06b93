import type { Duplex } from 'node:stream'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { directSocket } from '@svc/shared/mux/direct-socket.ts'
import { Tunnel, type TunnelSocket } from '@svc/shared/mux/tunnel.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { WebSocket } from 'ws'
import { DaemonPool } from '../tunnels/daemon-pool.ts'
import { MAX_PEER_MESSAGE_BYTES, PEER_SUBPROTOCOL, peerLimits, peerPath } from './peer-hop.ts'
import type { PeerSignature } from './peer-signature.ts'
import type { DirectoryEntry, TunnelDirectory } from './tunnel-directory.ts'
import type { OpenTunnel } from '../tunnels/tunnels.ts'

const HANDSHAKE_MS = 5_000
// A busy replica may keep silent this long; then another one is dialled beside it.
const PATIENCE_TO_OPEN_MS = 1_000
const IDLE_CHECK_MS = 20_000
const LEAVE_POLL_MS = 250
const PATIENCE_MS = 60_000

type Options = {
  replicaId: string
  directory: TunnelDirectory
  signature: PeerSignature
  /** Called when a daemon can no longer be reached through another replica. */
  left: (orgId: string) => void
  clock: Clock
  log: Log
}
type Hop = OpenTunnel & { connectionId: string }

/** Tunnels that other replicas hold: one hop for each, opened when needed and kept while in use. */
export function createPeerTunnels({ replicaId, directory, signature, left, clock, log }: Options) {
  const hops = new Map<string, Set<Hop>>()
  const opening = new Map<string, Promise<OpenTunnel | undefined>>()
  const all = new Set<Tunnel>()
  // What was read of the directory before the change may lack the tunnel that came.
  directory.onChange((orgId) => void opening.delete(orgId))

  const ready = (orgId: string): OpenTunnel | undefined => {
    let best: Hop | undefined
    for (const hop of hops.get(orgId) ?? [])
      if (hop.tunnel.available && (best === undefined || hop.tunnel.streamCount < best.tunnel.streamCount)) best = hop
    return best
  }

  const forget = (orgId: string, hop: Hop) => {
    const set = hops.get(orgId)
    set?.delete(hop)
    if (set?.size === 0) hops.delete(orgId)
  }

  /** The hop takes no more requests. It closes when those in flight have finished. */
  const give = (orgId: string, hop: Hop, patienceMs = PATIENCE_MS) => {
    forget(orgId, hop)
    hop.pool.close()
    let waited = 0
    const timer = setInterval(() => {
      waited += LEAVE_POLL_MS
      if (!hop.tunnel.closed && hop.tunnel.streamCount > 0 && waited < patienceMs) return
      clearInterval(timer)
      hop.tunnel.close(1000, 'done')
    }, LEAVE_POLL_MS)
  }

  const serve = (orgId: string, { connectionId, daemonId }: DirectoryEntry, socket: TunnelSocket): OpenTunnel => {
    let idle = false
    const check = setInterval(() => {
      if (hop.tunnel.streamCount > 0) idle = false
      else if (idle) give(orgId, hop)
      else idle = true
    }, IDLE_CHECK_MS)
    const tunnel: Tunnel = new Tunnel({
      socket,
      side: 'relay',
      limits: peerLimits,
      clock,
      events: {
        goAway: () => give(orgId, hop),
        failed: (err) => log.error({ orgId, err }, 'a hop to another replica is closed because of an unexpected error'),
        closed: () => {
          clearInterval(check)
          all.delete(tunnel)
          if (hops.get(orgId)?.has(hop)) left(orgId)
          forget(orgId, hop)
          hop.pool.close()
        },
      },
    })
    const hop: Hop = { connectionId, daemonId, tunnel, pool: new DaemonPool(tunnel) }
    all.add(tunnel)
    hops.set(orgId, (hops.get(orgId) ?? new Set()).add(hop))
    return hop
  }

  const dial = (orgId: string, epoch: number, entry: DirectoryEntry): Promise<OpenTunnel> => {
    const path = peerPath(orgId, entry.connectionId, epoch)
    const asked = { method: 'GET', path, orgId, epoch, receiver: entry.replicaId }
    const socket = new WebSocket(new URL(path, entry.url), [PEER_SUBPROTOCOL], {
      headers: { authorization: signature.authorize(asked) },
      followRedirects: false,
      handshakeTimeout: HANDSHAKE_MS,
      perMessageDeflate: false,
      maxPayload: MAX_PEER_MESSAGE_BYTES,
      // Masking protects old proxies from web pages. Between replicas there are neither.
      generateMask: (mask) => void mask.fill(0),
    })
    return new Promise((resolve, reject) => {
      socket.on('error', (error) => reject(fail('tunnel_moved', undefined, { cause: error })))
      let connection: Duplex
      socket.once('upgrade', (response) => (connection = response.socket))
      socket.once('open', () => resolve(serve(orgId, entry, directSocket(socket, connection, 'client_without_mask'))))
    })
  }

  /**
   * Dials the replicas of the cached entry, then those of the directory as long as one may still open. One that keeps
   * silent is dialled on while others are tried; the first to open is taken.
   */
  const open = async (orgId: string): Promise<OpenTunnel | undefined> => {
    const tried = new Set<string>()
    const dialled = new Set<Promise<OpenTunnel | undefined>>()
    const dialOnce = (epoch: number, entry: DirectoryEntry) => {
      const attempt = `${epoch} ${entry.connectionId}`
      if (entry.replicaId === replicaId || tried.has(attempt)) return false
      tried.add(attempt)
      const opened: Promise<OpenTunnel | undefined> = dial(orgId, epoch, entry)
        .catch((error: unknown) => {
          log.info({ orgId, peer: entry.replicaId, err: error }, 'a tunnel is not where it was')
          return undefined
        })
        .finally(() => dialled.delete(opened))
      dialled.add(opened)
      return true
    }
    const firstOpen = () => firstWithin(dialled, clock.sleep(PATIENCE_TO_OPEN_MS))

    for (let look = directory.find; ; look = directory.refresh) {
      const { epoch, entries } = await look(orgId)
      let isNews = false
      for (const entry of entries) {
        if (!dialOnce(epoch, entry)) continue
        isNews = true
        const hop = await firstOpen()
        if (hop !== undefined) return hop
      }
      if (look === directory.find || isNews) continue
      if (dialled.size === 0) break
      // One may have opened while the directory was read.
      const hop = ready(orgId) ?? (await firstOpen())
      if (hop !== undefined) return hop
    }
    const late = ready(orgId)
    if (late === undefined && tried.size > 0) left(orgId)
    return late
  }

  return {
    ready,

    /** The tunnel of another replica, if there is one. */
    find: (orgId: string): Promise<OpenTunnel | undefined> => {
      const now = ready(orgId)
      if (now !== undefined) return Promise.resolve(now)
      const underWay = opening.get(orgId)
      if (underWay !== undefined) return underWay
      const pending = open(orgId).finally(() => {
        if (opening.get(orgId) === pending) opening.delete(orgId)
      })
      opening.set(orgId, pending)
      return pending
    },

    /** Ends every hop at once. */
    close: (): void => {
      for (const tunnel of all) tunnel.close(1001, 'closing')
    },
  }
}

/** The first hop that opens; undefined when one of them fails or the time is over. */
function firstWithin(
  dialled: Iterable<Promise<OpenTunnel | undefined>>,
  time: Promise<unknown>,
): Promise<OpenTunnel | undefined> {
  return Promise.race([...dialled, time.then(() => undefined)])
}
