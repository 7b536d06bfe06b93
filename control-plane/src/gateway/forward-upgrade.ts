import { createHash } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import type { Tunnel } from '@svc/shared/mux/tunnel.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { RequestEnd } from './request-end.ts'
import { trimOptionalSpace } from '../http/optional-space.ts'

const HANDSHAKE_MS = 20_000
/** How long a browser may take to read the rest after its daemon has gone. */
const LAST_READ_MS = 30_000
/** RFC 6455, 1.3. */
const WEB_SOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

type Forward = {
  request: IncomingMessage
  socket: Duplex
  head: Buffer
  tunnel: Tunnel
  target: string
  headers: string[]
  /** Ends when the socket closes, and with the entry session. */
  requestEnd: RequestEnd
  /** Receives the byte counts of both directions. */
  count: (bytes: number) => void
}

/**
 * Forwards a WebSocket handshake to the daemon and, once it is accepted, every byte in both directions. Resolves when
 * the connection of the browser is closed.
 */
export function forwardUpgrade({
  request,
  socket,
  head,
  tunnel,
  target,
  headers,
  requestEnd,
  count,
}: Forward): Promise<void> {
  const key = request.headers['sec-websocket-key'] ?? ''
  // The browser may have gone, or its session ended, while the request was held.
  if (requestEnd.over) {
    socket.destroy()
    return Promise.resolve()
  }
  return new Promise((resolve, reject) => {
    const asked = httpRequest({
      method: 'GET',
      path: target,
      headers,
      setHost: false,
      // A stream of the tunnel implements everything that HTTP/1.1 needs of a socket.
      createConnection: () => tunnel.openSocket() as unknown as Socket,
    })
    const cut = () => {
      socket.destroy()
      asked.destroy()
    }
    requestEnd.onEnd(cut)
    // The timeout of a request sets none on a connection that it did not make itself.
    const timer = setTimeout(() => asked.destroy(fail('daemon_timeout')), HANDSHAKE_MS)
    for (const end of ['upgrade', 'response', 'close']) asked.once(end, () => clearTimeout(timer))

    asked.once('upgrade', (answer, daemon, daemonHead) => {
      if (!agrees(answer, key)) {
        daemon.destroy()
        return reject(fail('daemon_unreachable', { reason: 'handshake' }))
      }
      const protocol = oneToken(answer.headers['sec-websocket-protocol'], request.headers['sec-websocket-protocol'])
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${acceptOf(key)}\r\n${
          protocol === undefined ? '' : `sec-websocket-protocol: ${protocol}\r\n`
        }\r\n`,
      )
      if (daemonHead.length > 0) socket.write(daemonHead)
      if (head.length > 0) daemon.write(head)
      for (const side of [socket, daemon]) side.on('data', (chunk: Buffer) => count(chunk.length))
      socket.pipe(daemon).pipe(socket)
      requestEnd.onEnd(() => daemon.destroy())
      daemon.once('close', () => {
        if (daemon.readableEnded) closeAfterLastByte(socket)
        else socket.destroy()
        // Until then, the connection counts against the limits and ends with its entry session.
        whenClosed(socket, resolve)
      })
    })
    asked.once('response', (answer) => {
      answer.resume()
      asked.destroy()
      const status = answer.statusCode ?? 502
      reject(status === 404 ? fail('not_found') : fail('daemon_unreachable', { status }))
    })
    asked.once('error', (error) => {
      reject(isFailure(error) ? error : fail('daemon_unreachable', undefined, { cause: error }))
    })
    asked.end()
  })
}

/** Closes a connection from which nobody reads any more. Node sets an upgraded connection no timeout. */
function closeAfterLastByte(socket: Duplex): void {
  if (socket.writableFinished || socket.destroyed) return void socket.destroy()
  const timer = setTimeout(() => socket.destroy(), LAST_READ_MS)
  socket.once('finish', () => socket.destroy())
  socket.once('close', () => clearTimeout(timer))
}

function agrees({ headers }: IncomingMessage, key: string): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' && headers['sec-websocket-accept'] === acceptOf(key)
}

function acceptOf(key: string): string {
  return createHash('sha1')
    .update(key + WEB_SOCKET_GUID)
    .digest('base64')
}

/** The chosen subprotocol, if it is one of those that the browser offered. */
function oneToken(chosen: string | undefined, offered: string | undefined): string | undefined {
  const names = offered?.split(',').map(trimOptionalSpace) ?? []
  return chosen !== undefined && /^[\w.-]+$/.test(chosen) && names.includes(chosen) ? chosen : undefined
}
