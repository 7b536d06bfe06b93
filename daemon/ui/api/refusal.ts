import type { ErrorCode } from '@svc/shared/wire/errors.ts'

/** The codes of the wire, and `network` for a request without a response. */
export type RefusalCode = ErrorCode | 'network'

type Told = { code: RefusalCode; message: string; details?: unknown; requestId?: string; retryAfterSeconds?: number }

/** A failure response of the daemon or the gateway, or a missing response. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly details: unknown
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor({ code, message, details, requestId, retryAfterSeconds }: Told) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.details = details
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Turns whatever was thrown into a refusal; a bug of ours is shown as `internal` with its own message. */
export function asRefusal(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown
  return new Refusal({ code: 'internal', message: thrown instanceof Error ? thrown.message : String(thrown) })
}

const passing = new Set<RefusalCode>([
  'network',
  'daemon_offline',
  'daemon_waking',
  'daemon_timeout',
  'daemon_unreachable',
  'relay_overloaded',
  'database_unavailable',
  'store_unavailable',
  'too_many_requests',
  'organization_busy',
])

/** Whether the same request may succeed later without anybody doing anything. */
export function passesByItself({ code }: Refusal): boolean {
  return passing.has(code)
}

/** Seconds until the nth retry: those of the response, otherwise 1, 2, 4 … at most 30. */
export function secondsToRetry({ retryAfterSeconds }: Refusal, attempt: number): number {
  return Math.max(1, retryAfterSeconds ?? Math.min(30, 2 ** attempt))
}
