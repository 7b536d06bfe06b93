import { randomUUID } from 'node:crypto'
import { hashDaemonKey, lastFour, mintDaemonKey } from '../../control-plane/src/daemon-keys/daemon-key.ts'
import type { Db } from '../../control-plane/src/db/database.ts'
import { idPrefixes } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'

const BATCH = 500

/** Creates organizations with one daemon key each, in a few statements. */
export async function insertOrganizations(db: Db, count: number): Promise<{ orgId: string; apiKey: string }[]> {
  const made = Array.from({ length: count }, () => ({
    orgId: newId(idPrefixes.organization),
    daemonId: newId(idPrefixes.daemon),
    apiKey: mintDaemonKey(),
  }))
  const now = new Date()
  for (let from = 0; from < count; from += BATCH) {
    const some = made.slice(from, from + BATCH)
    await db
      .insertInto('organization')
      .values(
        some.map(({ orgId }) => ({
          id: orgId,
          name: 'Herd',
          slug: randomUUID(),
          logo: null,
          createdAt: now,
          metadata: null,
          daemon_mode: 'self_hosted' as const,
        })),
      )
      .execute()
    await db
      .insertInto('daemons')
      .values(some.map(({ orgId, daemonId }) => ({ id: daemonId, org_id: orgId, created_at: now })))
      .execute()
    await db
      .insertInto('daemon_keys')
      .values(
        some.map(({ daemonId, apiKey }) => ({
          daemon_id: daemonId,
          hash: hashDaemonKey(apiKey),
          last_four: lastFour(apiKey),
          generation: null,
          created_at: now,
        })),
      )
      .execute()
  }
  return made.map(({ orgId, apiKey }) => ({ orgId, apiKey }))
}
