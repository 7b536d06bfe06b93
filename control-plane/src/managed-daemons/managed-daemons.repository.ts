import type { Clock } from '@svc/shared/kit/clock.ts'
import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import type { Db } from '../db/database.ts'
import type { ManagedDaemonsTable } from '../db/tables/managed-daemons.tables.ts'

export type Lease = {
  orgId: string
  image: string
  operationId: string
  action: ManagedDaemonsTable['operation_action']
  epoch: number
}

/** The control plane's own records of hosted daemons; everything else is in the resource. */
export function managedDaemonsRepository(db: Db, clock: Clock) {
  const change = (orgId: string) => db.updateTable('managed_daemons').where('organization_id', '=', orgId)

  return {
    find: (orgId: string) =>
      db.selectFrom('managed_daemons').selectAll().where('organization_id', '=', orgId).executeTakeFirst(),

    /** Stores the provisioning lease in the caller's transaction; false when the organization already has a daemon. */
    insertLease: async (trx: Db, { orgId, image, operationId, action, epoch }: Lease): Promise<boolean> => {
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto('managed_daemons')
        .values({
          organization_id: orgId,
          name: managedDaemonName(orgId),
          state: 'provisioning',
          image,
          operation_id: operationId,
          operation_action: action,
          operation_epoch: epoch,
          leased_at: clock.now(),
        })
        .onConflict((row) => row.column('organization_id').doNothing())
        .executeTakeFirst()
      return numInsertedOrUpdatedRows === 1n
    },

    /** Organizations whose daemon is being provisioned or torn down. */
    listUnfinished: async (): Promise<string[]> => {
      const rows = await db
        .selectFrom('managed_daemons')
        .select('organization_id')
        .where('state', '<>', 'active')
        .execute()
      return rows.map(({ organization_id }) => organization_id)
    },

    /** Records the identity of the resource once; a recorded identity stays. */
    updateUid: async (orgId: string, uid: string): Promise<void> => {
      await change(orgId).where('resource_uid', 'is', null).set({ resource_uid: uid }).execute()
    },

    /** Marks the daemon as active; false when it was already. */
    updateActive: async (orgId: string): Promise<boolean> => {
      const { numUpdatedRows } = await change(orgId)
        .where('state', '=', 'provisioning')
        .set({ state: 'active', activated_at: clock.now(), last_problem: null })
        .executeTakeFirst()
      return numUpdatedRows === 1n
    },

    /** Marks the daemon for teardown in the caller's transaction; false when the organization has none. */
    updateDeleting: async (trx: Db, orgId: string): Promise<boolean> => {
      const { numUpdatedRows } = await trx
        .updateTable('managed_daemons')
        .where('organization_id', '=', orgId)
        .set({ state: 'deleting' })
        .executeTakeFirst()
      return numUpdatedRows === 1n
    },

    /** Records that the resource is being removed with its volume. */
    updateRemovalBegun: async (orgId: string): Promise<void> => {
      await change(orgId).where('state', '=', 'deleting').set({ removal_begun: true }).execute()
    },

    /** How many daemons somebody has to look at. */
    countProblems: async (): Promise<number> => {
      const { count } = await db
        .selectFrom('managed_daemons')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('last_problem', 'is not', null)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    /** Records why provisioning does not continue, or that it does; false when that was recorded already. */
    updateProblem: async (orgId: string, problem: string | null): Promise<boolean> => {
      const text = problem?.slice(0, 500) ?? null
      const { numUpdatedRows } = await change(orgId)
        .where('last_problem', 'is distinct from', text)
        .set({ last_problem: text })
        .executeTakeFirst()
      return numUpdatedRows === 1n
    },

    /**
     * Stores a new lease for a daemon whose resource is lost, in the caller's transaction; the next settling creates
     * the resource. Repeating the same operation changes nothing. False when there is no daemon, or it is being torn
     * down.
     */
    updateReinstall: async (trx: Db, { orgId, operationId, epoch, image }: Omit<Lease, 'action'>): Promise<boolean> => {
      const ofOrganization = trx.updateTable('managed_daemons').where('organization_id', '=', orgId)
      await ofOrganization
        .where('state', '<>', 'deleting')
        .where('operation_id', '<>', operationId)
        .set({
          state: 'provisioning',
          resource_uid: null,
          image,
          operation_id: operationId,
          operation_action: 'reinstall',
          operation_epoch: epoch,
        })
        .execute()
      const row = await trx
        .selectFrom('managed_daemons')
        .select(['operation_id', 'state'])
        .where('organization_id', '=', orgId)
        .executeTakeFirst()
      return row?.operation_id === operationId && row.state !== 'deleting'
    },

    /** True while a reinstallation executes; it may remove a resource whose volume is lost. */
    isReinstalling: async (orgId: string): Promise<boolean> => {
      const row = await db
        .selectFrom('operations')
        .select('operation_id')
        .where('org_id', '=', orgId)
        .where('action', '=', 'reinstall')
        .where('state', 'in', ['requested', 'executing'])
        .executeTakeFirst()
      return row !== undefined
    },

    /** Active daemons, which must each have a resource. */
    listActive: async (): Promise<string[]> => {
      const rows = await db
        .selectFrom('managed_daemons')
        .select('organization_id')
        .where('state', '=', 'active')
        .execute()
      return rows.map(({ organization_id }) => organization_id)
    },

    delete: async (trx: Db, orgId: string): Promise<void> => {
      await trx.deleteFrom('managed_daemons').where('organization_id', '=', orgId).execute()
    },
  }
}

export type ManagedDaemonsRepository = ReturnType<typeof managedDaemonsRepository>
