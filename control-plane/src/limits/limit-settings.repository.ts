import type { OwnLimits } from '@svc/shared/wire/admin/limits.api.ts'
import type { Db } from '../db/database.ts'

/** Limits that organizations have of their own. */
export function organizationLimitsRepository(db: Db) {
  const rows = () => db.selectFrom('organization_limits').select(['organization_id', 'own'])
  return {
    listAll: () => rows().execute(),
    listSince: (time: Date) => rows().where('changed_at', '>=', time).execute(),

    find: async (orgId: string): Promise<unknown> =>
      (await rows().where('organization_id', '=', orgId).executeTakeFirst())?.own,

    /** A row is never deleted, so that a replica sees that an organization has no limits of its own any more. */
    update: async (orgId: string, own: OwnLimits, now: Date): Promise<void> => {
      const values = { own: JSON.stringify(own), changed_at: now }
      await db
        .insertInto('organization_limits')
        .values({ organization_id: orgId, ...values })
        .onConflict((row) => row.column('organization_id').doUpdateSet(values))
        .execute()
    },
  }
}
