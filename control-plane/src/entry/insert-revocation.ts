import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'
import { revocationsRepository } from './revocations.repository.ts'

/** What must end on every replica: all entries of a subject, or the tunnels of keys that are no longer valid. */
export type Revocation = {
  kind: 'entry_session' | 'user_session' | 'user' | 'organization' | 'daemon_keys' | 'vault_origin'
  /** Id of that session, user or organization. */
  subject: string
}

/**
 * Ends entries in the caller's transaction and tells every replica, which acts within two seconds. Removal from an
 * organization, role change and sign-out need no call: replicas look at those rows themselves.
 */
export async function insertRevocation(
  trx: Db,
  { clock, ...revocation }: Revocation & { clock: Pick<Clock, 'now'> },
): Promise<void> {
  const revocations = revocationsRepository(trx, clock)
  await revocations.endEntries(revocation)
  await revocations.insert(revocation)
}
