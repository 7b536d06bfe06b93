import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { toHttp } from '@svc/shared/http/http-failure.ts'
import { toFailure } from './failures.ts'

/** Sends a failure in the common form. */
export function writeFailure(
  response: ServerResponse,
  { thrown, requestId, headers = {} }: { thrown: unknown; requestId: string; headers?: Record<string, string> },
): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  const { status, headers: own, body } = toHttp(toFailure(thrown), requestId)
  const text = JSON.stringify(body)
  response.writeHead(status, {
    ...headers,
    ...own,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

/** Sends the failure of an upgrade on its bare socket and closes it. */
export function refuseUpgrade(
  socket: Duplex,
  { thrown, requestId, headers = {} }: { thrown: unknown; requestId: string; headers?: Record<string, string> },
): void {
  const { status, headers: own, body } = toHttp(toFailure(thrown), requestId)
  const text = JSON.stringify(body)
  const lines = Object.entries({
    ...headers,
    ...own,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.on('error', () => {})
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n${lines.join('')}\r\n${text}`, () =>
    socket.destroy(),
  )
}
