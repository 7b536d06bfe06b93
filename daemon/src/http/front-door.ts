import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { chanceName } from '@svc/shared/kit/lock/chance-name.ts'
import { lingerOnClose } from '@svc/shared/http/linger-on-close.ts'
import { refuseMalformed } from '@svc/shared/http/refuse-malformed.ts'
import { wantsWebSocket } from '@svc/shared/http/wants-websocket.ts'
import { loadOnce } from '@svc/shared/kit/load-once.ts'
import { relayedContext } from '../entry/tunnel-context.ts'
import { localRequestOf } from './local-request.ts'
import { localProblem } from './local-rules.ts'
import { negotiate } from './negotiation.ts'
import { securityHeaders } from './security-headers.ts'

/** Responds to a request. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** Takes a connection that requests an upgrade to WebSocket. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** The response for a path before the routes are loaded. */
export type EarlyAnswer = () => { status: number; body: unknown }

type Loaded = { handle: Handle; upgrade: Upgrade }

/** Loads the routes. */
type Load = () => Promise<Loaded>

/**
 * The server, and `serve` to give it its routes. They are loaded with the first request that needs them, at the latest.
 */
export type FrontDoor = {
  server: Server
  serve(load: Load): void
  /** Loads the routes before a request needs them. */
  loadAhead(): void
}

type Options = {
  allowedHosts: readonly string[]
  answers: Readonly<Record<string, EarlyAnswer>>
  /** Called when the routes could not be loaded. */
  onFailure(error: unknown): void
}

const JSON_TYPE = 'application/json'
// Longer than a proxy or a browser keeps an idle connection, so that the daemon does not close one in use.
const KEEP_ALIVE_MS = 72_000

/**
 * The server of the daemon. Simple requests about its state get a response at once, under the same rules as the routes;
 * any other request waits until `serve` was called and the routes are loaded.
 */
export function frontDoor({ allowedHosts, answers, onFailure }: Options): FrontDoor {
  const known = Promise.withResolvers<Load>()
  let loaded: Loaded | undefined
  const whenLoaded = loadOnce(async () => {
    const load = await known.promise
    return (loaded = await load())
  })
  const failed = (error: unknown, connection: { destroy(): void }) => {
    onFailure(error)
    connection.destroy()
  }

  const server = createServer(
    { optimizeEmptyRequests: true, shouldUpgradeCallback: wantsWebSocket },
    (request, response) => {
      if (loaded) return loaded.handle(request, response)
      const answer = answers[request.url ?? '']
      if (answer && isPlain(request, allowedHosts)) return send(response, answer())

      whenLoaded().then(
        ({ handle }) => handle(request, response),
        (error: unknown) => failed(error, response),
      )
    },
  )
  server.on('upgrade', (request, socket, head) => {
    if (loaded) return loaded.upgrade(request, socket, head)
    // Until somebody handles the connection, a client that resets it must not end the process.
    socket.on('error', ignore)
    whenLoaded().then(
      ({ upgrade }) => upgrade(request, socket, head),
      (error: unknown) => failed(error, socket),
    )
  })
  lingerOnClose(server)
  refuseMalformed(server)
  server.keepAliveTimeout = KEEP_ALIVE_MS
  // Bodies of hundreds of megabytes take long; the routes limit their size.
  server.requestTimeout = 0
  return { server, serve: known.resolve, loadAhead: () => void whenLoaded().catch(onFailure) }
}

const ignore = () => {}

/** True for a valid request of this machine; all others are left to the routes. */
function isPlain(request: IncomingMessage, allowedHosts: readonly string[]): boolean {
  const { method, headers, socket } = request
  return (
    method === 'GET' &&
    relayedContext(socket) === undefined &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    negotiate(headers.accept, [JSON_TYPE]) !== undefined &&
    localProblem(localRequestOf(request), allowedHosts) === undefined
  )
}

function send(response: ServerResponse, { status, body }: ReturnType<EarlyAnswer>): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    ...securityHeaders,
    'x-request-id': chanceName(),
    'content-type': `${JSON_TYPE}; charset=utf-8`,
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}
