import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'

/** Entitlements to a managed daemon. */
export function entitlementsRepository(db: Db, clock: Clock) {
  return {
    /**
     * Grants complimentary access whose provisioning lease is stored in the same transaction; false when the
     * organization already has an entitlement.
     */
    insertComped: async (trx: Db, grant: { orgId: string; operationId: string }): Promise<boolean> => {
      const now = clock.now()
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto('entitlements')
        .values({
          org_id: grant.orgId,
          kind: 'comped',
          operation_id: grant.operationId,
          granted_at: now,
          lease_installed_at: now,
        })
        .onConflict((row) => row.column('org_id').doNothing())
        .executeTakeFirst()
      return numInsertedOrUpdatedRows === 1n
    },

    find: (orgId: string) => db.selectFrom('entitlements').selectAll().where('org_id', '=', orgId).executeTakeFirst(),

    delete: async (trx: Db, orgId: string): Promise<void> => {
      await trx.deleteFrom('entitlements').where('org_id', '=', orgId).execute()
    },
  }
}
