import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { randomUUID } from 'node:crypto'
import { directSocket } from '@svc/shared/mux/direct-socket.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { OrgId } from '@svc/shared/wire/ids.ts'
import { TUNNEL_SUBPROTOCOL } from '@svc/shared/wire/tunnel-hello.ts'
import { WebSocketServer } from 'ws'
import { createClientAddress } from '../http/client-address.ts'
import type { AdmitTunnel, TunnelRequest } from './admit-tunnel.ts'
import { dialInPage, isNavigation } from '../pages/static-pages.ts'
import { writeFailure, refuseUpgrade } from '../http/raw-response.ts'
import { relayLimits } from './tunnel-handshake.ts'
import { trimOptionalSpace } from '../http/optional-space.ts'

/** One message is at most a full frame and its header. */
const MAX_MESSAGE_BYTES = relayLimits.maxFrameBytes + 1024

/**
 * The daemons' side of the relay: `/t/<org-id>` accepts the WebSocket of a daemon with a valid key, and nothing else.
 * It never reads a cookie, and never sends a byte that a daemon made.
 */
export function createTunnelGateway({ check, accept }: AdmitTunnel, trustedProxies: readonly string[] = []) {
  const addressOf = createClientAddress(trustedProxies)
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (offered) => (offered.has(TUNNEL_SUBPROTOCOL) ? TUNNEL_SUBPROTOCOL : false),
  })

  return {
    upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      const requestId = randomUUID()
      socket.on('error', ignore)
      check({ ...readRequest(request), source: addressOf(request) })
        .then((admitted) =>
          server.handleUpgrade(request, socket, head, (webSocket) =>
            accept(admitted, directSocket(webSocket, socket, 'server')),
          ),
        )
        .catch((error: unknown) => refuseUpgrade(socket, { thrown: error, requestId }))
    },

    request: (request: IncomingMessage, response: ServerResponse): void => {
      request.resume()
      response.shouldKeepAlive = false // do not wait for the end of the body
      if (isNavigation(request)) {
        response.writeHead(401, dialInPage.headers).end(dialInPage.body)
        return
      }
      // Tell a daemon whose upgrade header was stripped by a proxy that its key is not the problem.
      writeFailure(response, {
        thrown: fail('unauthenticated', { reason: 'not_a_websocket' }),
        requestId: randomUUID(),
      })
    },
  }
}

/** Declared outside: a closure above would keep the request in memory for as long as the tunnel is open. */
function ignore(): void {}

function readRequest(request: IncomingMessage): Omit<TunnelRequest, 'source'> {
  const [, orgId] = /^\/t\/([^/?#]+)\/?$/.exec(request.url ?? '') ?? []
  const [, key] = /^Bearer ([!-~]{1,200})$/.exec(request.headers.authorization ?? '') ?? []
  const offered = request.headers['sec-websocket-protocol']?.split(',').map(trimOptionalSpace) ?? []
  return {
    orgId: OrgId.safeParse(orgId).data,
    key,
    offersProtocol: offered.includes(TUNNEL_SUBPROTOCOL),
  }
}
