import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'

/** A killed worker's claim ends after this time. Two workers at the same backups do no harm. */
const CLAIM_MS = 3_600_000

/** The deleted organizations whose backups may still be in the bucket. */
export function leftBackupsRepository(db: Db, clock: Clock) {
  return {
    /** Claims an organization that was deleted before `cutoff`; undefined when there is none. */
    claim: async (cutoff: Date): Promise<string | undefined> => {
      const now = clock.now()
      const { rows } = await sql<{ org_id: string }>`
        update organization_tombstones set backups_claimed_at = ${now}::timestamptz
        where org_id = (
          select org_id from organization_tombstones
          where created_at < ${cutoff}::timestamptz and backups_deleted_at is null
            and (backups_claimed_at is null or backups_claimed_at < ${new Date(now.getTime() - CLAIM_MS)}::timestamptz)
            and not exists (select from organization where organization.id = organization_tombstones.org_id)
          order by created_at limit 1 for update skip locked)
        returning org_id`.execute(db)
      return rows[0]?.org_id
    },

    /** Records that there are backups to delete. */
    updateFound: async (orgId: string): Promise<void> => {
      await db
        .updateTable('organization_tombstones')
        .set({ backups_found: true })
        .where('org_id', '=', orgId)
        .where('backups_deleted_at', 'is', null)
        .execute()
    },

    /**
     * Records that the backups are gone, in the caller's transaction, and returns whether there were any; undefined
     * when that was recorded already.
     */
    updateDeleted: async (trx: Db, orgId: string): Promise<'found' | 'none' | undefined> => {
      const row = await trx
        .updateTable('organization_tombstones')
        .set({ backups_deleted_at: clock.now() })
        .where('org_id', '=', orgId)
        .where('backups_deleted_at', 'is', null)
        .returning('backups_found')
        .executeTakeFirst()
      return row && (row.backups_found ? 'found' : 'none')
    },
  }
}
