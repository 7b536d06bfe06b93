import { randomBytes } from 'node:crypto'
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { fail, type ServiceError } from '../wire/errors.ts'
import { toHttp } from './http-failure.ts'

type Served = Duplex & { _httpMessage?: ServerResponse | null }

/**
 * Answers what Node cannot read as a request like any other failure, and closes the connection. Without this, Node
 * answers with a status line alone.
 */
export function refuseMalformed(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // As in Node's own handler: a response that has begun must not get a second head.
    const { _httpMessage: begun } = socket as Served
    if (socket.writable && begun?.headersSent !== true && error.code !== 'ECONNRESET')
      socket.write(responseOf(failureOf(error.code)))
    socket.destroy()
  })
}

function failureOf(code: string | undefined): ServiceError {
  if (code === 'HPE_HEADER_OVERFLOW') return fail('headers_too_large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return fail('request_timeout')
  return fail('invalid_request', [{ path: 'request', message: 'is not HTTP that this server reads' }])
}

function responseOf(failure: ServiceError): string {
  const { status, headers, body } = toHttp(failure, randomBytes(8).toString('hex'))
  const text = JSON.stringify(body)
  const fields = {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', text].join('\r\n')
}
