import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { lingerOnClose } from '@svc/shared/http/linger-on-close.ts'
import { refuseMalformed } from '@svc/shared/http/refuse-malformed.ts'
import { wantsWebSocket } from '@svc/shared/http/wants-websocket.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { refuseUpgrade } from './raw-response.ts'

export type Door = {
  request(request: IncomingMessage, response: ServerResponse): void
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Close a connection that is quiet for this long, with or without a request. Default: 30 s without a request. */
  quietMs?: number | undefined
}

const KEEP_ALIVE_MS = 30_000

/** Opens one listener. Refuses WebSockets that the door does not take. */
export async function listen(door: Door, { host, port }: { host: string; port: number }): Promise<Server> {
  const { quietMs } = door
  const server = createServer({
    requireHostHeader: true,
    // Node sets and clears a timer for `keepAliveTimeout` with each request. `timeout` is one timer for the connection.
    keepAliveTimeout: quietMs === undefined ? KEEP_ALIVE_MS : 0,
    headersTimeout: 15_000,
    optimizeEmptyRequests: true, // most requests have no body to wait for
    shouldUpgradeCallback: wantsWebSocket,
  })
  server.timeout = quietMs ?? 0
  server.requestTimeout = 0 // uploads through the gateway may take long; each door has its own deadlines
  lingerOnClose(server)
  refuseMalformed(server)
  server.on('request', door.request)
  server.on('upgrade', (request, socket, head) => {
    if (door.upgrade === undefined) refuseUpgrade(socket, { thrown: fail('not_found'), requestId: randomUUID() })
    else door.upgrade(request, socket, head)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return server
}

/** Makes each response from now on close its connection, so that clients reconnect to another replica. */
export function endKeepAlive(server: Server): void {
  server.prependListener('request', (_request, response) => void (response.shouldKeepAlive = false))
}

/** Stops taking connections, lets open requests finish for a while, then cuts what is left. */
export async function stopListening(server: Server, patienceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), patienceMs)
  await closed
  clearTimeout(timer)
}
