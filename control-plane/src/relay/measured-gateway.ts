import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { createPublicGateway } from './public-gateway.ts'
import { queuedByStreams, type Gauge, type QueuedBytes } from './queued-bytes.ts'

type PublicGateway = ReturnType<typeof createPublicGateway>

/** What has left a paused upload and waits for the daemon's credit. */
const PAUSED_UPLOAD_BYTES = 256 * 1024

/** A public gateway whose exchanges count as queued bytes, each until the browser has all of its answer. */
export function measuredGateway(gateway: PublicGateway, queued: Pick<QueuedBytes, 'watch'>): PublicGateway {
  return {
    ownsHost: gateway.ownsHost,
    request: (request: IncomingMessage, response: ServerResponse): void => {
      const owner = { host: request.headers.host ?? '' }
      response.on('close', queued.watch(owner, queuedByExchange(request, response)))
      gateway.request(request, response)
    },
    upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      socket.on('close', queued.watch({ host: request.headers.host ?? '' }, queuedByStreams(socket)))
      gateway.upgrade(request, socket, head)
    },
  }
}

/** The answer that a browser has not read, and the upload that its daemon has not. */
function queuedByExchange(request: IncomingMessage, response: ServerResponse): Gauge {
  return () => {
    const upload = request.readableLength + (request.isPaused() ? PAUSED_UPLOAD_BYTES : 0)
    return upload + response.writableLength
  }
}
