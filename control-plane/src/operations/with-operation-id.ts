import { fail, isFailure } from '@svc/shared/wire/errors.ts'

/** A failure that also names the operation, for callers whose id was derived here. Other errors stay as they are. */
export function withOperationId(error: unknown, operationId: string): unknown {
  if (!isFailure(error)) return error
  const { code, details, message, retryAfterSeconds } = error
  if (Array.isArray(details)) return error
  return fail(code, { ...(details as object | undefined), operationId }, { message, retryAfterSeconds, cause: error })
}
