import type { Db } from '../db/database.ts'

export type GrantsRepository = ReturnType<typeof grantsRepository>
type Grant = { orgId: string; operationId: string; epoch: number; image: string }
export type GrantOutcome = { held: boolean; granted: boolean }
/** Writes entitlement and provisioning lease in the caller's transaction; false when there is an entitlement already. */
export type InstallGrant = (trx: Db, grant: Grant) => Promise<boolean>

/** Standing rights to a managed daemon, and what remains of organizations that are gone. */
export function grantsRepository(db: Db) {
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

    /** Does something in one transaction with the proof that the epoch is held; false when it is not. */
    whileHeld: ({ operationId, epoch }: { operationId: string; epoch: number }, act: (trx: Db) => Promise<void>) =>
      db.transaction().execute(async (trx) => {
        const held = (await heldBy(trx, operationId, epoch)) !== undefined
        if (held) await act(trx)
        return held
      }),

    findTombstone: (orgId: string) =>
      db.selectFrom('organization_tombstones').selectAll().where('org_id', '=', orgId).executeTakeFirst(),
  }
}
