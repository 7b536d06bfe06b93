import { fail, type ServiceError } from '@svc/shared/wire/errors.ts'
import { isOfDatabase } from './database-errors.ts'
import { isLostConnection } from './lost-connection.ts'

// Codes of Postgres (SQLSTATE).
const DISK_FULL = '53100'
const FOREIGN_KEY_VIOLATION = '23503'
const DEADLOCK_DETECTED = '40P01'

// Of Kysely, for a request that runs on after its client has left, when the process stops.
const CLOSED = 'driver has already been destroyed'

/**
 * The failure to return when the database is away, closed or its disk is full, when what a request is about was deleted
 * meanwhile, or when two changes waited for each other; undefined for every other error.
 */
export function databaseFailure(error: unknown): ServiceError | undefined {
  if (error instanceof Error && error.message === CLOSED)
    return fail('database_unavailable', undefined, { cause: error, message: 'This replica is stopping. Retry.' })
  if (!isOfDatabase(error)) return undefined
  const { code } = error as { code?: string }
  if (code === FOREIGN_KEY_VIOLATION) return fail('not_found', undefined, { cause: error })
  if (code === DEADLOCK_DETECTED)
    return fail('database_unavailable', undefined, {
      cause: error,
      message: 'Another change was made at the same time. Retry.',
    })
  if (!isLostConnection(error)) return undefined
  return fail('database_unavailable', undefined, {
    cause: error,
    ...(code === DISK_FULL ? { message: 'The disk of the database is full. Make room there, then retry.' } : {}),
  })
}
