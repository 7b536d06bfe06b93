import type { Agent, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { directSocket } from '@svc/shared/mux/direct-socket.ts'
import type { TunnelSocket } from '@svc/shared/mux/tunnel.ts'
import { fail, type ServiceError } from '@svc/shared/wire/errors.ts'
import { TUNNEL_SUBPROTOCOL } from '@svc/shared/wire/tunnel-hello.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { WebSocket } from 'ws'
import { isLoopbackName } from '../http/host-name.ts'

const HANDSHAKE_MS = 15_000
/** Largest message that this side takes. */
export const MAX_MESSAGE_BYTES = 256 * 1024

type Dial = {
  url: string
  token: Secret
  proxy: string | undefined
  signal: AbortSignal
  /** The time for everything until the tunnel is open: connections, the proxy's answer, TLS and the handshake. */
  handshakeMs?: number
}

/** The address to dial for a relay URL: `https` becomes `wss`. */
function socketAddress(relayUrl: string): URL {
  const url = new URL(relayUrl)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  url.pathname = url.pathname.replace(/\/$/, '')
  return url
}

/** A WebSocket that delivers nothing until `resume` is called. */
type Opened = { socket: TunnelSocket; resume(): void }

/**
 * Opens the WebSocket to the relay with the daemon key. A redirect is a failure: the key goes to nobody else. The
 * socket is returned paused: the relay speaks first, often in the packet of the handshake, when nobody listens yet.
 */
export async function openRelaySocket({
  url,
  token,
  proxy,
  signal,
  handshakeMs = HANDSHAKE_MS,
}: Dial): Promise<Opened> {
  const address = socketAddress(url)
  // A connection to a proxy that has not answered belongs to no request yet, so nothing else would close it.
  const line = new AbortController()
  const agent = proxy === undefined || isLoopbackName(address.hostname) ? undefined : await agentOf(proxy, line.signal)
  signal.throwIfAborted()
  const protectedWire = address.protocol === 'wss:' || isLoopbackName(address.hostname)
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address, [TUNNEL_SUBPROTOCOL], {
      headers: { authorization: `Bearer ${token.reveal()}` },
      followRedirects: false,
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES + 1024,
      ...(agent === undefined ? {} : { agent }),
      // A zero mask costs nothing. Masks protect old proxies from scripts of a web page; TLS or loopback protects them
      // too.
      ...(protectedWire ? { generateMask: (mask: Buffer) => void mask.fill(0) } : {}),
    })
    let isSettled = false
    const settle = () => {
      isSettled = true
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
    const refuse = (failure: ServiceError) => {
      if (isSettled) return
      settle()
      reject(failure)
      socket.terminate()
      line.abort()
    }
    const noConnection = (cause: unknown) => refuse(fail('daemon_offline', { reason: 'no_connection' }, { cause }))
    const abort = () => noConnection(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    // Not the time limit of the request, which starts only when the proxy has answered.
    const timer = setTimeout(() => noConnection(new Error('not open in time')), handshakeMs)
    socket.on('error', noConnection)
    let connection: Duplex | undefined
    socket.once('upgrade', (response) => (connection = response.socket))
    socket.once('open', () => {
      settle()
      socket.pause()
      const direct = protectedWire && connection !== undefined
      resolve({
        socket: direct ? directSocket(socket, connection!, 'client_without_mask') : socket,
        resume: () => socket.resume(),
      })
    })
    socket.once('unexpected-response', (_request, response: IncomingMessage) => refuse(refusal(response)))
  })
}

// Loaded only here: few daemons have a proxy, and code loaded earlier would delay the dial after a wake.
async function agentOf(proxy: string, signal: AbortSignal): Promise<Agent> {
  const { HttpsProxyAgent } = await import('https-proxy-agent')
  return new HttpsProxyAgent(proxy, { signal })
}

/** The error for a refused handshake: from its status and its Retry-After. */
function refusal(response: IncomingMessage): ServiceError {
  response.resume()
  const status = response.statusCode ?? 0
  const seconds = Number(response.headers['retry-after'])
  const retryAfterSeconds = Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 300) : undefined
  if (status === 401 || status === 403) return fail('unauthenticated', { status }, { retryAfterSeconds })
  if (status >= 300 && status < 400) return fail('daemon_offline', { reason: 'redirect', status })
  return fail('daemon_offline', { reason: 'refused', status }, { retryAfterSeconds })
}
