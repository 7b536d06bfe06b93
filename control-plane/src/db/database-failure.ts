import { fail, type ServiceError } from '@svc/shared/wire/errors.ts'
import { isLostConnection } from './lost-connection.ts'

// SQLSTATE disk_full.
const DISK_FULL = '53100'
const RETRY_AFTER_SECONDS = 5

/** The failure to return when the database is away or its disk is full; undefined for every other error. */
export function databaseFailure(error: unknown): ServiceError | undefined {
  if (!isLostConnection(error)) return undefined
  const isFull = (error as { code?: string }).code === DISK_FULL
  return fail('database_unavailable', undefined, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: error,
    ...(isFull ? { message: 'The disk of the database is full. Make room there, then retry.' } : {}),
  })
}
