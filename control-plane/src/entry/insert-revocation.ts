import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'
import type { Revocation } from './revocation.ts'
import { revocationsRepository } from './revocations.repository.ts'

/**
 * Ends entries in the caller's transaction and notifies every replica, which acts within two seconds. Removal from an
 * organization, role changes and sign-out need no call: replicas check those rows themselves.
 */
export async function insertRevocation(
  trx: Db,
  { clock, ...revocation }: Revocation & { clock: Pick<Clock, 'now'> },
): Promise<void> {
  const revocations = revocationsRepository(trx, clock)
  await revocations.endEntries(revocation)
  await revocations.insert(revocation)
}
