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

type Dial = { url: string; token: Secret; proxy: string | undefined; signal: AbortSignal }

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
export async function openRelaySocket({ url, token, proxy, signal }: Dial): Promise<Opened> {
  const address = socketAddress(url)
  const agent = proxy === undefined || isLoopbackName(address.hostname) ? undefined : await agentOf(proxy)
  signal.throwIfAborted()
  const protectedWire = address.protocol === 'wss:' || isLoopbackName(address.hostname)
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address, [TUNNEL_SUBPROTOCOL], {
      headers: { authorization: `Bearer ${token.reveal()}` },
      followRedirects: false,
      handshakeTimeout: HANDSHAKE_MS,
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES + 1024,
      ...(agent === undefined ? {} : { agent }),
      // A zero mask costs nothing. Masks protect old proxies from scripts of a web page; TLS or loopback protects them
      // too.
      ...(protectedWire ? { generateMask: (mask: Buffer) => void mask.fill(0) } : {}),
    })
    const abort = () => socket.terminate()
    signal.addEventListener('abort', abort, { once: true })
    const finish = () => {
      signal.removeEventListener('abort', abort)
    }
    socket.on('error', (error) => {
      finish()
      reject(fail('daemon_offline', { reason: 'no_connection' }, { cause: error }))
    })
    let connection: Duplex | undefined
    socket.once('upgrade', (response) => (connection = response.socket))
    socket.once('open', () => {
      finish()
      socket.pause()
      const direct = protectedWire && connection !== undefined
      resolve({
        socket: direct ? directSocket(socket, connection!, 'client_without_mask') : socket,
        resume: () => socket.resume(),
      })
    })
    socket.once('unexpected-response', (_request, response: IncomingMessage) => {
      finish()
      reject(refusal(response))
      socket.terminate()
    })
  })
}

// Loaded only here: few daemons have a proxy, and code loaded earlier would delay the dial after a wake.
async function agentOf(proxy: string): Promise<Agent> {
  const { HttpsProxyAgent } = await import('https-proxy-agent')
  return new HttpsProxyAgent(proxy)
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
