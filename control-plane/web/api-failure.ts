import type { FieldProblem } from '@svc/shared/wire/errors.ts'

/** A response that may be a failure. */
export type Answered = { status: number; body: unknown; retryAfter: string | null }

type Words = { code: string; message: string; details?: unknown; requestId?: string }

/** The only error that API calls throw. The codes `network` and `unreadable` are set by the web app itself. */
export class ApiFailure extends Error {
  readonly code: string
  readonly status: number
  readonly details: unknown
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(words: Words, status: number, retryAfterSeconds?: number) {
    super(words.message)
    this.name = 'ApiFailure'
    this.code = words.code
    this.status = status
    this.details = words.details
    this.requestId = words.requestId
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * Reads a failure from a response: our error body, the sign-in handler's `{ code, message }`, or an unreadable body.
 */
export function readFailure({ status, body, retryAfter }: Answered): ApiFailure {
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter)
  return new ApiFailure(readWords(status, body), status, Number.isFinite(seconds) ? seconds : undefined)
}

/** The failure for a server that was not reached. */
export function networkFailure(): ApiFailure {
  return new ApiFailure({ code: 'network', message: 'The server cannot be reached.' }, 0)
}

/** Turns any thrown value into an ApiFailure, so that every screen shows one kind of failure. */
export function toFailure(thrown: unknown): ApiFailure {
  if (thrown instanceof ApiFailure) return thrown
  return new ApiFailure({ code: 'unreadable', message: thrown instanceof Error ? thrown.message : String(thrown) }, 0)
}

/** True for a failure of that code. */
export function isFailure(thrown: unknown, code: string): boolean {
  return thrown instanceof ApiFailure && thrown.code === code
}

/** The problems of an `invalid_request`, by the last name in the path of each field; places in a list are no names. */
export function fieldProblems(failure: ApiFailure): Map<string, string> {
  const problems = new Map<string, string>()
  if (failure.code !== 'invalid_request' || !Array.isArray(failure.details)) return problems
  for (const problem of failure.details as Partial<FieldProblem>[])
    if (typeof problem?.path === 'string' && typeof problem.message === 'string')
      problems.set(problem.path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? problem.path, problem.message)
  return problems
}

function readWords(status: number, body: unknown): Words {
  const inner = isRecord(body) && isRecord(body['error']) ? body['error'] : body
  if (isRecord(inner) && typeof inner['code'] === 'string')
    return {
      code: inner['code'],
      message: typeof inner['message'] === 'string' ? inner['message'] : inner['code'],
      details: inner['details'],
      requestId: typeof inner['requestId'] === 'string' ? inner['requestId'] : undefined,
    }
  return { code: byStatus(status), message: `The server answered with status ${status}.` }
}

// A response without a code comes from a proxy in front of the API; only its status is known.
function byStatus(status: number): string {
  if (status === 401) return 'unauthenticated'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'not_found'
  if (status === 429) return 'too_many_requests'
  return 'unreadable'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
