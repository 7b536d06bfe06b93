import type { ErrorCode } from '@svc/shared/wire/errors.ts'
import { Refusal } from './refusal.ts'

/**
 * The body of a successful response, or a thrown `Refusal`. Responses that are not ours (a proxy's page) become
 * refusals.
 */
export async function readAnswer<T>(response: Response): Promise<T> {
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok && isRecord(body) && body.ok === true) return body as T

  const told = isRecord(body) && isRecord(body.error) ? body.error : {}
  throw new Refusal({
    code: typeof told.code === 'string' ? (told.code as ErrorCode) : codeOfStatus(response.status),
    message: typeof told.message === 'string' ? told.message : `The answer was ${response.status} and not readable.`,
    details: told.details,
    ...(typeof told.requestId === 'string' && { requestId: told.requestId }),
    ...retryAfter(response.headers.get('retry-after')),
  })
}

function retryAfter(header: string | null) {
  const seconds = header === null ? Number.NaN : Number(header)
  return Number.isFinite(seconds) && seconds >= 0 ? { retryAfterSeconds: seconds } : {}
}

function codeOfStatus(status: number): ErrorCode {
  if (status === 401) return 'unauthenticated'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'not_found'
  if (status === 413) return 'payload_too_large'
  if (status === 429) return 'too_many_requests'
  if (status === 502) return 'daemon_unreachable'
  if (status === 503) return 'daemon_offline'
  if (status === 504) return 'daemon_timeout'
  return 'internal'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
