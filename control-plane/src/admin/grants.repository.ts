import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'

export type GrantsRepository = ReturnType<typeof grantsRepository>
type Grant = { orgId: string; operationId: string; epoch: number; image: string }
export type GrantOutcome = { held: boolean; granted: boolean }
/** Writes entitlement and provisioning lease in the caller's transaction; false when there is an entitlement already. */
export type InstallGrant = (trx: Db, grant: Grant) => Promise<boolean>

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
    insertComped: (grant: Grant, installGrant: InstallGrant): Promise<GrantOutcome> =>
      db.transaction().execute(async (trx) => {
        const held = (await heldBy(trx, grant.operationId, grant.epoch)) !== undefined
        return { held, granted: held && (await installGrant(trx, grant)) }
      }),

    findEntitlement: (orgId: string) =>
      db.selectFrom('entitlements').selectAll().where('org_id', '=', orgId).executeTakeFirst(),

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
