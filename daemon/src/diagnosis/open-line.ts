import { within } from '@svc/shared/kit/within.ts'
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { Blocked, type CauseCode } from './causes.ts'

/** The time limit of one step. */
export const STEP_MS = 10_000

export type Place = { host: string; port: number }

/** Opens a TCP connection, or throws the cause. `missing` is the cause of any failure, if there is only one. */
export async function openTcp({ host, port }: Place, missing?: CauseCode): Promise<Socket> {
  const socket = connectTcp({ host, port, noDelay: true })
  socket.on('error', () => {})
  try {
    await stepWithin(once(socket, 'connect'), 'connection_timeout')
    return socket
  } catch (error) {
    socket.destroy()
    if (error instanceof Blocked) throw missing === undefined ? error : new Blocked(missing, 'no answer')
    const { code = '', message } = error as NodeJS.ErrnoException
    throw new Blocked(
      missing ?? (code === 'ECONNREFUSED' ? 'connection_refused' : 'connection_failed'),
      code || message,
    )
  }
}

/** Requests a connection to the relay from a proxy (RFC 9110, 9.3.6). */
export async function openThroughProxy(proxy: URL, target: Place): Promise<Socket> {
  const port = Number(proxy.port || (proxy.protocol === 'https:' ? 443 : 80))
  const host = proxy.hostname.replace(/^\[|\]$/g, '')
  const socket = await openTcp({ host, port }, 'proxy_unreachable')
  const line = proxy.protocol === 'https:' ? await agreeTls(socket, host) : socket
  const user = decodeURIComponent(proxy.username)
  const credentials = Buffer.from(`${user}:${decodeURIComponent(proxy.password)}`).toString('base64')
  const authority = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`
  line.write(
    `CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${
      user === '' ? '' : `proxy-authorization: Basic ${credentials}\r\n`
    }\r\n`,
  )
  const head = await readHead(line, 'proxy_refused')
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0)
  if (status === 200) return line
  line.destroy()
  throw new Blocked(status === 407 ? 'proxy_credentials' : 'proxy_refused', `status ${status}`)
}

const tlsCauses: Record<string, CauseCode> = {
  CERT_HAS_EXPIRED: 'tls_expired',
  CERT_NOT_YET_VALID: 'tls_not_yet_valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_wrong_name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'tls_untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_untrusted',
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls_missing',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'tls_missing',
}

/** Negotiates TLS over an open connection, or throws the cause. */
export async function agreeTls(socket: Socket, host: string): Promise<TLSSocket> {
  const name = isIP(host) === 0 ? { servername: host } : {}
  const secure = connectTls({ socket, host, ...name, ALPNProtocols: ['http/1.1'] })
  secure.on('error', () => {})
  try {
    await stepWithin(once(secure, 'secureConnect'), 'tls_failed')
    return secure
  } catch (error) {
    secure.destroy()
    if (error instanceof Blocked) throw error
    const { code = '', message } = error as NodeJS.ErrnoException
    throw new Blocked(tlsCauses[code] ?? 'tls_failed', code || message)
  }
}

/** Fails with the given cause if a step takes too long. */
export function stepWithin<T>(step: Promise<T>, cause: CauseCode, ms = STEP_MS): Promise<T> {
  return within(step, { ms, late: () => new Blocked(cause, `nothing within ${ms / 1000} s`) })
}

/** Reads the head of a response byte by byte: what follows belongs to the tunnelled connection. */
async function readHead(socket: Socket, cause: CauseCode): Promise<string> {
  const read = new Promise<string>((resolve, reject) => {
    let text = ''
    const take = () => {
      for (;;) {
        const byte = socket.read(1) as Buffer | null
        if (byte === null) return
        text += byte.toString('latin1')
        if (!text.endsWith('\r\n\r\n') && text.length < 16_384) continue
        socket.off('readable', take)
        return resolve(text)
      }
    }
    socket.on('readable', take)
    socket.once('close', () => reject(new Blocked(cause, 'the proxy hung up')))
  })
  return stepWithin(read, cause)
}
