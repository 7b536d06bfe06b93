import { GrowingBuffer } from '@svc/shared/mux/growing-buffer.ts'
import { hasMoreValues } from '@svc/shared/wire/foreign-input.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { DaemonRequest } from './daemon-connection.ts'
import type { DaemonPool } from './daemon-pool.ts'
import { overloaded, type Caller, type ExchangeBudget, type ExchangeShare } from './exchange-budget.ts'

const MAX_RESPONSE_BYTES = 4 * 1024 * 1024
/** Enough for a list of 10,000 vaults. Half a million small values would hold the event loop for 350 ms. */
const MAX_VALUES = 100_000
const CALL_MS = 15_000

type DaemonCall = Pick<DaemonRequest, 'method' | 'target' | 'headers'> & {
  text: string
  /** Largest response. */
  maxBytes?: number | undefined
  /** Longest time until the whole response is there. */
  timeoutMs?: number | undefined
  signal?: AbortSignal | undefined
}
type Answer = { status: number; text: string }
/** The organization and the caller, and the tunnel to the daemon. */
type Callee = { orgId: string; caller: Caller; pool: Pick<DaemonPool, 'send'> }

/**
 * Makes requests with their whole responses. They fail with `daemon_unreachable`, `daemon_timeout`, `relay_overloaded`
 * or the failure of the tunnel. With `relay_overloaded` the daemon has received nothing.
 */
export function createExchange(budget: ExchangeBudget) {
  return async ({ orgId, caller, pool }: Callee, call: DaemonCall): Promise<Answer> => {
    const share = budget.enter(orgId, caller)
    try {
      return await exchange(pool, call, share)
    } finally {
      share.leave()
    }
  }
}

export type Exchange = ReturnType<typeof createExchange>

function exchange(pool: Callee['pool'], call: DaemonCall, share: ExchangeShare): Promise<Answer> {
  const { method, target, headers, text, maxBytes = MAX_RESPONSE_BYTES, timeoutMs = CALL_MS, signal } = call
  const body = Buffer.from(text)
  if (!share.hold(body.length)) throw overloaded()
  return new Promise((resolve, reject) => {
    const answer = new GrowingBuffer()
    let status = 0
    const late = () => {
      cleanUp()
      connection.abort()
      reject(fail('daemon_timeout'))
    }
    const connection = pool.send(
      { method, target, headers, body: body.length || 'none' },
      {
        head: (answered) => void (status = answered),
        data: (chunk) => {
          if (answer.length + chunk.length > maxBytes) throw fail('daemon_unreachable', { reason: 'answer_too_large' })
          // The daemon may have done what was asked, so this is no `relay_overloaded`.
          if (!share.hold(chunk.length)) throw fail('daemon_unreachable', { reason: 'no_room_for_answer' })
          answer.append(chunk)
          return true
        },
        drained: () => {},
        complete: () => {
          cleanUp()
          resolve({ status, text: answer.take().toString('utf8') })
        },
        failed: (error) => {
          cleanUp()
          const told = isFailure(error) && error.code !== 'stream_reset'
          reject(told ? error : fail('daemon_unreachable', undefined, { cause: error }))
        },
      },
    )
    const timer = setTimeout(late, timeoutMs)
    signal?.addEventListener('abort', late, { once: true })
    const cleanUp = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', late)
    }
    connection.write(body)
    connection.endBody()
  })
}

/** The JSON of a text; undefined if it has none or too many values. */
export function readJson(text: string): unknown {
  try {
    return hasMoreValues(text, MAX_VALUES) ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
