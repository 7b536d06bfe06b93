import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { directSocket } from '@svc/shared/mux/direct-socket.ts'
import { Tunnel, type TunnelSocket } from '@svc/shared/mux/tunnel.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { WebSocketServer } from 'ws'
import { MAX_PEER_MESSAGE_BYTES, PEER_SUBPROTOCOL, peerLimits, readPeerPath } from './peer-hop.ts'
import type { PeerSignature } from './peer-signature.ts'
import { queuedByStreams, type QueuedBytes } from '../limits/queued-bytes.ts'
import { refuseUpgrade } from '../http/raw-response.ts'
import { spliceStreams } from './splice-streams.ts'
import type { HeldTunnel, Tunnels } from '../tunnels/tunnels.ts'

type Options = {
  replicaId: string
  tunnels: Tunnels
  signature: PeerSignature
  queued: Pick<QueuedBytes, 'watch'>
  clock: Clock
  log: Log
}

/**
 * Serves other replicas at the internal listener: a hop opens streams in one tunnel that this replica holds. Only own
 * tunnels are used, so a request never hops twice.
 */
export function createPeerGateway({ replicaId, tunnels, signature, queued, clock, log }: Options) {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_PEER_MESSAGE_BYTES,
    handleProtocols: (offered) => (offered.has(PEER_SUBPROTOCOL) ? PEER_SUBPROTOCOL : false),
  })

  const findHeld = ({ method = '', url = '', headers }: IncomingMessage): HeldTunnel => {
    const wanted = readPeerPath(url)
    if (wanted === undefined) throw fail('not_found')
    const { orgId, connectionId, epoch } = wanted
    const asked = { method, path: url, orgId, epoch, receiver: replicaId }
    if (!signature.verify(headers.authorization, asked)) throw fail('unauthenticated')
    const held = tunnels.list(orgId).find((one) => one.connectionId === connectionId)
    if (held === undefined || held.epoch !== epoch || held.retiring || !held.tunnel.available)
      throw fail('tunnel_moved')
    return held
  }

  const serve = (held: HeldTunnel, socket: TunnelSocket): void => {
    const hop: Tunnel = new Tunnel({
      socket,
      side: 'daemon',
      limits: peerLimits,
      clock,
      events: {
        stream: (stream) => {
          try {
            const far = held.tunnel.openSocket()
            spliceStreams(stream, far)
            far.once('close', queued.watch(held, queuedByStreams(stream, far)))
          } catch (error) {
            stream.destroy(error as Error)
          }
        },
        failed: (err) => log.error({ err }, 'a hop of another replica is closed because of an unexpected error'),
        closed: () => void held.hops.delete(hop),
      },
    })
    held.hops.add(hop)
    if (held.tunnel.closed) hop.close(1012, 'the tunnel is gone')
    else if (held.retiring) hop.leave({ reason: 'draining', reconnectAfterMs: 0 })
  }

  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', ignore)
    try {
      const held = findHeld(request)
      server.handleUpgrade(request, socket, head, (webSocket) => serve(held, directSocket(webSocket, socket, 'server')))
    } catch (error) {
      const requestId = randomUUID()
      log.debug({ err: error, requestId }, 'a hop of another replica was refused')
      refuseUpgrade(socket, { thrown: error, requestId })
    }
  }
}

function ignore(): void {}
