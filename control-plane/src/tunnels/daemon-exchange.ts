import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { DaemonRequest } from './daemon-connection.ts'
import type { DaemonPool } from './daemon-pool.ts'

const MAX_RESPONSE_BYTES = 4 * 1024 * 1024
const CALL_MS = 15_000

type DaemonCall = Pick<DaemonRequest, 'method' | 'target' | 'headers'> & {
  text: string
  signal?: AbortSignal | undefined
}

/**
 * One request with its whole response. Fails with `daemon_unreachable`, `daemon_timeout` or the failure of the tunnel.
 */
export function exchange(
  pool: DaemonPool,
  { method, target, headers, text, signal }: DaemonCall,
): Promise<{ status: number; text: string }> {
  const body = Buffer.from(text)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let status = 0
    const late = () => {
      connection.abort()
      reject(fail('daemon_timeout'))
    }
    const connection = pool.send(
      { method, target, headers, body: body.length || 'none' },
      {
        head: (answered) => void (status = answered),
        data: (chunk) => {
          bytes += chunk.length
          if (bytes > MAX_RESPONSE_BYTES) throw fail('daemon_unreachable', { reason: 'answer_too_large' })
          chunks.push(Buffer.from(chunk))
          return true
        },
        drained: () => {},
        complete: () => {
          cleanUp()
          resolve({ status, text: Buffer.concat(chunks).toString('utf8') })
        },
        failed: (error) => {
          cleanUp()
          const told = isFailure(error) && error.code !== 'stream_reset'
          reject(told ? error : fail('daemon_unreachable', undefined, { cause: error }))
        },
      },
    )
    const timer = setTimeout(late, CALL_MS)
    signal?.addEventListener('abort', late, { once: true })
    const cleanUp = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', late)
    }
    connection.write(body)
    connection.endBody()
  })
}

/** The JSON of a text, or undefined. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
