import type { Clock } from '@svc/shared/kit/clock.ts'
import { idPrefixes } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { Db } from '../db/database.ts'
import { daemonKeysRepository } from './daemon-keys.repository.ts'

type HostedKey = { orgId: string; generation: number; hash: string; clock: Pick<Clock, 'now'> }

/**
 * Stores the hash of a hosted daemon's key as the resource's status reports it, and returns the daemon's id. Repeating
 * it changes nothing. The older key expires when the new one connects. The caller must have checked that the resource
 * is ours.
 */
export async function acceptHostedKey(trx: Db, { orgId, generation, hash, clock }: HostedKey): Promise<string> {
  const keys = daemonKeysRepository(trx, clock)
  const daemonId = await keys.insertOrFindDaemon(orgId, newId(idPrefixes.daemon))
  await keys.insertKey({ daemonId, hash: Buffer.from(hash, 'hex'), lastFour: null, generation })
  return daemonId
}
