import { fail, type ServiceError } from '@svc/shared/wire/errors.ts'
import { isOfDatabase } from './database-errors.ts'
import { isLostConnection } from './lost-connection.ts'

// SQLSTATE disk_full.
const DISK_FULL = '53100'

/** The failure to return when the database is away or its disk is full; undefined for every other error. */
export function databaseFailure(error: unknown): ServiceError | undefined {
  if (!isOfDatabase(error) || !isLostConnection(error)) return undefined
  const isFull = (error as { code?: string }).code === DISK_FULL
  return fail('database_unavailable', undefined, {
    cause: error,
    ...(isFull ? { message: 'The disk of the database is full. Make room there, then retry.' } : {}),
  })
}
