import { z } from 'zod'
import { errorCodes, fail, isFailure, type ServiceError } from './errors.ts'
import { exitCodes } from './exit-codes.ts'
import { toFieldProblems } from './field-problems.ts'
import { nextStep } from './mcp/next-step.ts'

/** The failure body of every HTTP response. */
export const ErrorBody = z.object({
  ok: z.literal(false),
  error: z.object({
    code: z.enum(errorCodes),
    message: z.string(),
    details: z.unknown().optional(),
    requestId: z.string(),
  }),
})
export type ErrorBody = z.infer<typeof ErrorBody>

/** MCP: the result of a tool that failed. Models read the text, programs the structure; both contain the details. */
export function toToolResult(error: ServiceError) {
  const details: Record<string, unknown> = Array.isArray(error.details)
    ? { problems: error.details as unknown[] }
    : toRecord(error.details)
  const told = JSON.stringify(details)
  const next = typeof details['next'] === 'string' ? details['next'] : nextStep(error.code)
  const text = `${error.code}: ${error.message} ${next}${told === '{}' ? '' : `\n${told}`}`
  return {
    isError: true as const,
    content: [{ type: 'text' as const, text }],
    structuredContent: { ...details, code: error.code, message: error.message, next },
  }
}

const toRecord = (details: unknown): Record<string, unknown> =>
  typeof details === 'object' && details !== null ? { ...details } : {}

/** WebSocket: close code 4000 + status, the code as reason (reasons are cut at 123 bytes). */
export function toClose(error: ServiceError) {
  return { code: 4000 + error.status, reason: error.code.slice(0, 123) }
}

/** CLI: 75 where the same request or operation may succeed later, otherwise 1. */
export function toExitCode(error: ServiceError): number {
  return error.retry === 'same_request' || error.retry === 'same_operation' ? exitCodes.tryAgain : exitCodes.failure
}

/**
 * Converts any thrown value to a failure of the catalogue. A bug becomes `internal` and keeps its cause for the log.
 */
export function toServiceError(thrown: unknown): ServiceError {
  if (isFailure(thrown)) return thrown
  return fail('internal', undefined, { cause: thrown })
}

/** The failure in a response body, or undefined when the body is not one of ours. */
export function readErrorBody(body: unknown): ServiceError | undefined {
  const parsed = ErrorBody.safeParse(body)
  if (!parsed.success) return undefined
  const { code, message, details } = parsed.data.error
  return fail(code, details, { message })
}

/** Parses, or throws `invalid_request` with the paths of all problems. */
export function parseOrFail<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw fail('invalid_request', toFieldProblems(parsed.error))
  return parsed.data
}
