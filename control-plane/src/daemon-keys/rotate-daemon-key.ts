import type { Clock } from '@svc/shared/kit/clock.ts'
import { idPrefixes } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { resetVaultOrigin } from '../entry/vault-origins.ts'
import { insertRevocation } from '../entry/insert-revocation.ts'
import type { Db } from '../db/database.ts'
import { hashDaemonKey, lastFour, mintDaemonKey } from './daemon-key.ts'
import { daemonKeysRepository } from './daemon-keys.repository.ts'

/** How long an old key stays valid beside a new one that has not connected yet. */
const GRACE_MS = 10 * 60_000

type Request = { orgId: string; clock: Pick<Clock, 'now'> }
/** The plain key, shown only this once, its daemon, and until when an older key stays valid. */
export type NewKey = { apiKey: string; daemonId: string; oldKeyWorksUntil: Date | undefined }

/** Issues the key of an organization's daemon. If there is one already, this is a rotation with grace. */
export function issueDaemonKey(trx: Db, request: Request): Promise<NewKey> {
  return replaceKey(trx, request, GRACE_MS)
}

/** Replaces the key. The old one works for ten minutes, or until the new one connects. */
export function rotateDaemonKey(trx: Db, request: Request): Promise<NewKey> {
  return replaceKey(trx, request, GRACE_MS)
}

/**
 * Replaces the key and cuts the old one at once: its tunnels close on every replica. A thief of the key could have
 * served pages on the vault origin, so the origin is replaced, too.
 */
export async function rotateDaemonKeyNow(trx: Db, request: Request): Promise<NewKey> {
  const { clock, orgId } = request
  const key = await replaceKey(trx, request, 0)
  await insertRevocation(trx, { kind: 'daemon_keys', subject: orgId, clock })
  await resetVaultOrigin(trx, { orgId, clock })
  return key
}

/** Revokes every key of an organization's daemon, as its deletion does. */
export async function revokeDaemonKeys(trx: Db, { orgId, clock }: Request): Promise<void> {
  const keys = daemonKeysRepository(trx, clock)
  const daemon = await keys.findDaemon(orgId)
  if (daemon === undefined) return
  await keys.revokeOthers(daemon.id, undefined)
  await insertRevocation(trx, { kind: 'daemon_keys', subject: orgId, clock })
}

async function replaceKey(trx: Db, { orgId, clock }: Request, graceMs: number): Promise<NewKey> {
  const keys = daemonKeysRepository(trx, clock)
  const apiKey = mintDaemonKey()
  const daemonId = await keys.insertOrFindDaemon(orgId, newId(idPrefixes.daemon))
  const inserted = await keys.insertKey({
    daemonId,
    hash: hashDaemonKey(apiKey),
    lastFour: lastFour(apiKey),
    generation: null,
  })
  if (inserted === undefined) throw new Error('a new daemon key collides with an old one')

  const at = new Date(clock.now().getTime() + graceMs)
  if (graceMs > 0)
    return { apiKey, daemonId, oldKeyWorksUntil: await keys.expireOthers({ daemonId, keepId: inserted.id, at }) }
  await keys.revokeOthers(daemonId, inserted.id)
  return { apiKey, daemonId, oldKeyWorksUntil: undefined }
}
