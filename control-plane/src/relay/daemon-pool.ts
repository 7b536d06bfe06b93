import type { Socket } from 'node:net'
import type { Tunnel } from '@svc/shared/mux/tunnel.ts'
import { Pool } from 'undici'

/** A daemon that has said nothing for this long, neither head nor next bytes, is given up. */
const SILENCE_MS = 120_000
const MAX_HEADER_BYTES = 16 * 1024

/** A pool that costs nothing until its tunnel carries its first request. */
export type LazyPool = { use(): Pool; close(): void }

/** HTTP/1.1 over the streams of one tunnel. Streams are kept open between requests; each request names its person. */
export function createDaemonPool(tunnel: Tunnel): LazyPool {
  let pool: Pool | undefined
  return {
    use: () => (pool ??= makePool(tunnel)),
    /** Lets requests finish and gives idle streams up. */
    close: () => void pool?.close().catch(() => {}),
  }
}

function makePool(tunnel: Tunnel): Pool {
  return new Pool('http://daemon.invalid', {
    connect: (_options, callback) => {
      // Not in this very call: undici goes on with its queue only if the connection comes later.
      queueMicrotask(() => {
        try {
          // A stream has all of a socket that HTTP/1.1 uses.
          callback(null, tunnel.open() as unknown as Socket)
        } catch (error) {
          callback(error as Error, null)
        }
      })
    },
    pipelining: 1,
    allowH2: false,
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    keepAliveTimeout: 30_000,
    keepAliveMaxTimeout: 60_000,
    maxHeaderSize: MAX_HEADER_BYTES,
    strictContentLength: true,
  })
}
