import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'

/** Standing rights to a managed daemon. */
export function entitlementsRepository(clock: Clock) {
  return {
    /** Grants complimentary access whose provisioning lease is installed in the same transaction. */
    insertComped: async (trx: Db, grant: { orgId: string; operationId: string }): Promise<void> => {
      const now = clock.now()
      await trx
        .insertInto('entitlements')
        .values({
          org_id: grant.orgId,
          kind: 'comped',
          operation_id: grant.operationId,
          granted_at: now,
          lease_installed_at: now,
        })
        .execute()
    },

    delete: async (trx: Db, orgId: string): Promise<void> => {
      await trx.deleteFrom('entitlements').where('org_id', '=', orgId).execute()
    },
  }
}
