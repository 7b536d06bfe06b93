import { once } from 'node:events'
import { Agent, createServer, request as httpRequest } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createServer as createTlsServer } from 'node:tls'

/** One request as a server of the platform received it from the browser, with its response. */
export type Seen = {
  /** Name and port of the Host header. */
  host: string
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** It requested a WebSocket. */
  upgrade: boolean
  /** 0 until there is a response, and for a connection that was cut. */
  status: number
  answer: IncomingHttpHeaders
}

export type WatchingProxy = {
  url: string
  seen: Seen[]
  /** Ends every connection of the browser and refuses new ones until `mend` is called. */
  cut(): void
  mend(): void
  close(): void
}

type Options = {
  /** The loopback port of a host name; undefined for one that is not the platform's. */
  portOf: (host: string) => number | undefined
  /** The https port of the platform as the browser sees it, instead of the real port. */
  identity?: { key: Buffer; cert: Buffer }
}

/**
 * A proxy for a browser that forwards every request unchanged and records it. It also resolves the names of the
 * platform and, for https, acts as the ingress that terminates TLS.
 */
export async function startWatchingProxy({ portOf, identity }: Options): Promise<WatchingProxy> {
  const seen: Seen[] = []
  // A connection for each request: a server may close an idle one just when it is used again.
  const agent = new Agent({ keepAlive: false })

  const note = ({ method = '', headers }: IncomingMessage, path: string): Seen => {
    const one = { host: headers.host ?? '', method, path, headers, upgrade: false, status: 0, answer: {} }
    seen.push(one)
    return one
  }
  const carry = (request: IncomingMessage, response: ServerResponse) => {
    const path = pathOf(request)
    const one = note(request, path)
    const port = portOf(one.host)
    if (port === undefined) return void response.writeHead(502).end()
    const asked = httpRequest({
      agent,
      host: '127.0.0.1',
      port,
      method: one.method,
      path,
      headers: ownHeaders(request),
    })
    asked.on('response', (answer) => {
      one.status = answer.statusCode ?? 0
      one.answer = answer.headers
      response.writeHead(one.status, answer.rawHeaders)
      answer.pipe(response)
      answer.on('error', () => response.destroy())
    })
    asked.on('error', () => response.destroy())
    response.on('close', () => asked.destroy())
    request.pipe(asked)
  }
  const carryUpgrade = (request: IncomingMessage, browser: Duplex, head: Buffer) => {
    const path = pathOf(request)
    const one = note(request, path)
    one.upgrade = true
    const port = portOf(one.host)
    if (port === undefined) return void browser.destroy()
    const server = connect({ port, host: '127.0.0.1' })
    for (const [side, other] of [[browser, server] as const, [server, browser] as const]) {
      side.on('error', () => other.destroy())
      side.once('close', () => other.destroy())
    }
    server.once(
      'data',
      (chunk: Buffer) => (one.status = Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1])),
    )
    server.write(`GET ${path} HTTP/1.1\r\n${lines(ownHeaders(request))}\r\n`)
    server.write(head)
    browser.pipe(server).pipe(browser)
  }

  const front = createServer(carry)
  const sockets = new Set<Duplex>()
  let isCut = false
  front.on('connection', (socket) => {
    if (isCut) return void socket.destroy()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  front.on('upgrade', carryUpgrade)
  const secure = identity && createTlsServer(identity, (socket) => void front.emit('connection', socket))
  secure?.on('tlsClientError', () => {})
  front.on('connect', (_request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => {})
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    if (head.length > 0) socket.unshift(head)
    ;(secure ?? front).emit('connection', socket)
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')

  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    seen,
    cut: () => {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    mend: () => {
      isCut = false
    },
    close: () => {
      front.closeAllConnections()
      front.close()
      agent.destroy()
    },
  }
}

/** The path as it was sent: without TLS a browser gives a proxy the whole address. */
const pathOf = ({ url = '/' }: IncomingMessage) => url.replace(/^http:\/\/[^/]+/, '')

function ownHeaders({ rawHeaders }: IncomingMessage): string[] {
  return rawHeaders.filter((_, index) => !/^proxy-/i.test(rawHeaders[index - (index % 2)] ?? ''))
}

function lines(rawHeaders: string[]): string {
  let text = ''
  for (let i = 0; i < rawHeaders.length; i += 2) text += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`
  return text
}
