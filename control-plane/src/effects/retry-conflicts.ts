import { fail } from '@svc/shared/wire/errors.ts'
import { StoreConflict } from '@svc/shared/wire/managed-daemon-store.ts'

const ATTEMPTS = 20

/**
 * Makes an attempt again after each conflict with another writer. Throws operation_retryable when the conflicts do not
 * end.
 */
export async function retryConflicts<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let count = 0; count < ATTEMPTS; count++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
    }
  }
  throw fail('operation_retryable', { reason: 'ResourceContended' })
}
