import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { lingerOnClose } from '@svc/shared/http/linger-on-close.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { toHttp } from '@svc/shared/http/http-failure.ts'
import { refuseMalformed } from '@svc/shared/http/refuse-malformed.ts'
import { wantsWebSocket } from '@svc/shared/http/wants-websocket.ts'
import { refuseUpgrade } from '../control-plane/src/http/raw-response.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void
type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** The servers behind the one port. */
export type Rooms = {
  api: Handler
  gateway: { request: Handler; upgrade: UpgradeHandler }
  dialIn: { request: Handler; upgrade: UpgradeHandler }
}

const DIAL_IN_PATH = '/t/'
const REDIRECT = 307

/**
 * One listener for the whole embedded platform, routed by host name: `localhost` is the control plane (`/t/` on it the
 * dial-in of daemons), every other name a vault origin. 127.0.0.1 answers API calls; navigations are redirected to
 * localhost, because the two names do not share cookies.
 */
export function createFrontDoor({ api, gateway, dialIn }: Rooms): Server {
  const server = createServer({
    requireHostHeader: true,
    keepAliveTimeout: 30_000,
    optimizeEmptyRequests: true,
    shouldUpgradeCallback: wantsWebSocket,
  })
  lingerOnClose(server)
  refuseMalformed(server)
  server.requestTimeout = 0 // uploads may take long; idle sockets are closed by headersTimeout and keep-alive

  server.on('request', (request, response) => {
    const host = hostOf(request)
    if (host === undefined) return refuse(response)
    if (!isControlPlane(host)) return gateway.request(request, response)
    if (request.url?.startsWith(DIAL_IN_PATH)) return dialIn.request(request, response)
    if (isNavigation(request) && host.name !== 'localhost') {
      response.writeHead(REDIRECT, { location: `http://localhost:${host.port}${safePath(request.url)}` }).end()
      return
    }
    api(request, response)
  })

  server.on('upgrade', (request, socket, head) => {
    const host = hostOf(request)
    if (host === undefined) return void socket.destroy()
    if (!isControlPlane(host)) return gateway.upgrade(request, socket, head)
    if (request.url?.startsWith(DIAL_IN_PATH)) return dialIn.upgrade(request, socket, head)
    refuseUpgrade(socket, { thrown: fail('not_found'), requestId: randomUUID() })
  })
  return server
}

type Host = { name: string; port: string }

/** The one Host of a request; undefined when it is missing, repeated or malformed. */
function hostOf({ rawHeaders }: IncomingMessage): Host | undefined {
  const hosts = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host')
  const [, name, port = '80'] = /^([a-z0-9.-]+|\[::1\])(?::(\d{1,5}))?$/i.exec(hosts[0] ?? '') ?? []
  return hosts.length === 1 && name !== undefined ? { name: name.toLowerCase(), port } : undefined
}

const isControlPlane = ({ name }: Host) => name === 'localhost' || name === '127.0.0.1' || name === '[::1]'

const isNavigation = ({ method, headers }: IncomingMessage) =>
  method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'

/** A path of this origin: one leading slash, so that it cannot name another host. */
const safePath = (url = '/') => (/^\/(?![/\\])/.test(url) ? url : '/')

function refuse(response: ServerResponse): void {
  const { status, headers, body } = toHttp(
    fail('invalid_request', [{ path: 'host', message: 'must be one host' }]),
    '-',
  )
  response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body))
}
