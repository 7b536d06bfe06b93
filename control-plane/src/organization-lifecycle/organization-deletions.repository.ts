import type { Clock } from '@svc/shared/kit/clock.ts'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { ORGANIZATION_LOCK } from '../db/advisory-locks.ts'

type Deletion = { orgId: string; operationId: string; requestedBy: string }

/** Deletions in progress. */
export function organizationDeletionsRepository(db: Db, clock: Clock) {
  return {
    /** Records a deletion in the caller's transaction; after the commit nobody finds the organization. */
    insert: async (trx: Db, { orgId, operationId, requestedBy }: Deletion): Promise<void> => {
      await trx
        .insertInto('organization_deletions')
        .values({
          organization_id: orgId,
          operation_id: operationId,
          requested_by: requestedBy,
          requested_at: clock.now(),
        })
        .onConflict((row) => row.column('organization_id').doNothing())
        .execute()
    },

    /** Makes claims and billing reservations of the organization wait until the caller's transaction ends. */
    lockClaims: async (trx: Db, orgId: string): Promise<void> => {
      await sql`select pg_advisory_xact_lock(${ORGANIZATION_LOCK}, hashtext(${orgId}))`.execute(trx)
    },

    /** Stores the tombstone of a deleted organization, in the caller's transaction. */
    insertTombstone: async (trx: Db, stone: { orgId: string; operationId: string }): Promise<void> => {
      await trx
        .insertInto('organization_tombstones')
        .values({ org_id: stone.orgId, operation_id: stone.operationId, created_at: clock.now() })
        .onConflict((row) => row.column('org_id').doNothing())
        .execute()
    },

    findTombstone: (orgId: string) =>
      db.selectFrom('organization_tombstones').selectAll().where('org_id', '=', orgId).executeTakeFirst(),

    find: (orgId: string) =>
      db.selectFrom('organization_deletions').selectAll().where('organization_id', '=', orgId).executeTakeFirst(),
  }
}

export type OrganizationDeletionsRepository = ReturnType<typeof organizationDeletionsRepository>
