import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Log } from '@svc/shared/kit/log.ts'
import { relayedContext } from '../entry/tunnel-context.ts'
import { localRequestOf } from './local-request.ts'
import { localProblem } from './local-rules.ts'
import { negotiate } from './negotiation.ts'
import { securityHeaders } from './security-headers.ts'

/** Answers a request. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** What is answered to a path before the routes are loaded. */
export type EarlyAnswer = () => { status: number; body: unknown }

type Options = {
  allowedHosts: readonly string[]
  answers: Readonly<Record<string, EarlyAnswer>>
  /** Loads the routes for this server; called once. */
  load(server: Server): Promise<Handle>
  log: Log
}

const JSON_TYPE = 'application/json'
// Longer than a proxy or a browser keeps an idle connection, so that the daemon is not the one to close it in use.
const KEEP_ALIVE_MS = 72_000

/**
 * The server of the daemon. Plain questions about its state are answered at once, by the same rules as by the routes;
 * any other request has the routes loaded first and waits for them.
 */
export function frontDoor({ allowedHosts, answers, load, log }: Options): { server: Server } {
  let handle: Handle | undefined
  let loading: Promise<Handle> | undefined

  const server = createServer({ optimizeEmptyRequests: true }, (request, response) => {
    if (handle) return handle(request, response)
    const answer = answers[request.url ?? '']
    if (answer && isPlain(request, allowedHosts)) return send(response, answer())

    loading ??= load(server).then((loaded) => (handle = loaded))
    loading.then(
      (loaded) => loaded(request, response),
      (error: unknown) => {
        log.error({ err: error }, 'the routes could not be loaded')
        response.destroy()
      },
    )
  })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  // Bodies of hundreds of megabytes take their time; the routes limit their size.
  server.requestTimeout = 0
  return { server }
}

/** True for a request of this machine that nothing is wrong with; all others are left to the routes. */
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
    'x-request-id': randomBytes(8).toString('hex'),
    'content-type': `${JSON_TYPE}; charset=utf-8`,
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}
