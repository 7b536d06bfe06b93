import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'

export type GrantsRepository = ReturnType<typeof grantsRepository>
type Grant = { orgId: string; operationId: string; epoch: number; image: string }
export type GrantOutcome = { held: boolean; granted: boolean }
/** Installs the provisioning lease in the caller's transaction; the domain of managed daemons gives it. */
export type InsertLease = (trx: Db, lease: Grant & { action: 'comped_grant' }) => Promise<boolean>

/** Standing rights to a managed daemon, and what remains of organizations that are gone. */
export function grantsRepository(db: Db, clock: Clock) {
  const heldBy = (trx: Db, operationId: string, epoch: number) =>
    trx
      .selectFrom('operation_claims')
      .select('org_id')
      .where('operation_id', '=', operationId)
      .where('epoch', '=', epoch)
      .forShare()
      .executeTakeFirst()

  return {
    /**
     * Grants complimentary access and installs the provisioning lease, both or neither, if the epoch is held. From then
     * on the provisioner has the work; the claim no longer blocks billing.
     */
    insertComped: (grant: Grant, insertLease: InsertLease): Promise<GrantOutcome> =>
      db.transaction().execute(async (trx) => {
        if (!(await heldBy(trx, grant.operationId, grant.epoch))) return { held: false, granted: false }

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
        if (numInsertedOrUpdatedRows !== 1n) return { held: true, granted: false }

        await insertLease(trx, { ...grant, action: 'comped_grant' })
        return { held: true, granted: true }
      }),

    findEntitlement: (orgId: string) =>
      db.selectFrom('entitlements').selectAll().where('org_id', '=', orgId).executeTakeFirst(),

    listEntitlements: () => db.selectFrom('entitlements').selectAll().execute(),

    /** Lays the tombstone of an organization and begins its teardown, both if the epoch is held; false if not. */
    insertTombstone: (
      stone: { orgId: string; operationId: string; epoch: number; uid: string | undefined },
      beginTearDown: (trx: Db, orgId: string) => Promise<unknown>,
    ): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        if (!(await heldBy(trx, stone.operationId, stone.epoch))) return false

        await trx
          .insertInto('organization_tombstones')
          .values({
            org_id: stone.orgId,
            operation_id: stone.operationId,
            daemon_uid: stone.uid ?? null,
            created_at: clock.now(),
          })
          .onConflict((row) => row.column('org_id').doNothing())
          .execute()
        await beginTearDown(trx, stone.orgId)
        return true
      }),

    findTombstone: (orgId: string) =>
      db.selectFrom('organization_tombstones').selectAll().where('org_id', '=', orgId).executeTakeFirst(),
  }
}
