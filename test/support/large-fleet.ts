import { sql } from 'kysely'
import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { Db } from '../../control-plane/src/db/database.ts'
import { seenDaemonsRepository } from '../../control-plane/src/inventory/seen-daemons.repository.ts'
import { someDaemon } from './managed-daemon-specs.ts'

const BATCH = 500
const GIB = 2 ** 30

export const slugOf = (index: number) => `org-${String(index).padStart(5, '0')}`

/**
 * Inserts hosted organizations as rows only, each with a daemon, an entitlement, a backup, and five events of the last
 * day. Returns their ids.
 */
export async function addLargeFleet(db: Db, count: number): Promise<string[]> {
  const ids: string[] = []
  const seen = seenDaemonsRepository(db)
  for (let from = 0; from < count; from += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, index) => ({ id: newId('org_'), index: from + index }))
    ids.push(...batch.map(({ id }) => id))
    const organizations = batch.map(({ id, index }) => ({
      id,
      slug: slugOf(index),
      name: `Organization ${index}`,
      daemon_mode: 'cloud_hosted' as const,
      createdAt: new Date(),
      logo: null,
      metadata: null,
    }))
    await db.insertInto('organization').values(organizations).execute()
    await seen.upsert(
      batch.map(({ id, index }) => {
        const observedState = index % 5 === 0 ? 'running' : 'sleeping'
        const storage = { usedBytes: (index % 100) * Math.floor(GIB / 100), capacityBytes: GIB }
        return someDaemon(
          { orgId: id, orgSlug: slugOf(index), desiredState: observedState },
          {
            name: managedDaemonName(id),
            uid: `uid-${index}`,
            status: { observedState, conditions: [], version: `1.0.${index % 7}`, storage },
          },
        )
      }),
    )
    await sql`insert into lifecycle_events (org_id, kind, at, observed_state)
      select id, 'state_observed', now() - n * interval '4 hours', case when n % 2 = 0 then 'running' else 'sleeping' end
      from unnest(${batch.map(({ id }) => id)}::text[]) id, generate_series(1, 5) n`.execute(db)
  }
  await sql`insert into entitlements (org_id, kind, operation_id, granted_at)
    select id, 'comped', 'grant-' || id, now() from organization where slug like 'org-%'`.execute(db)
  await sql`insert into backup_states (organization_id, last_backup_id, last_taken_at, last_files, last_bytes)
    select id, 'bak_20260101000000aaaaaaaaaa', now(), 10, 1000 from organization where slug like 'org-%'`.execute(db)
  await sql`analyze`.execute(db)
  return ids
}
