import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import type { Db } from '../db/database.ts'

export type GrantsRepository = ReturnType<typeof grantsRepository>
type Grant = { orgId: string; operationId: string; epoch: number; image: string }
export type GrantOutcome = { held: boolean; granted: boolean }

/** Standing rights to a managed daemon, and what remains of organizations that are gone. */
export function grantsRepository(db: Db, clock: Clock) {
  return {
    /**
     * Grants complimentary access and installs the provisioning lease, both or neither, if the epoch is held. From then
     * on the provisioner has the work; the claim no longer blocks billing.
     */
    insertComped: async ({ orgId, operationId, epoch, image }: Grant): Promise<GrantOutcome> => {
      const now = clock.now()
      const { rows } = await sql<GrantOutcome>`
        with fence as (
          select org_id from operation_claims where operation_id = ${operationId} and epoch = ${epoch} for share
        ), granted as (
          insert into entitlements (org_id, kind, operation_id, granted_at, lease_installed_at)
          select org_id, 'comped', ${operationId}, ${now}::timestamptz, ${now}::timestamptz from fence
          on conflict (org_id) do nothing
          returning org_id
        ), leased as (
          insert into managed_daemons (organization_id, name, state, image, operation_id, leased_at)
          select org_id, ${managedDaemonName(orgId)}, 'provisioning', ${image}, ${operationId}, ${now}::timestamptz
          from granted
          on conflict do nothing
        )
        select exists (select from fence) as held, exists (select from granted) as granted`.execute(db)
      return rows[0] ?? { held: false, granted: false }
    },

    findEntitlement: (orgId: string) =>
      db.selectFrom('entitlements').selectAll().where('org_id', '=', orgId).executeTakeFirst(),

    listEntitlements: () => db.selectFrom('entitlements').selectAll().execute(),

    /** Leaves the tombstone of an organization whose daemon is about to go. False when the epoch is not held. */
    insertTombstone: async (stone: { orgId: string; operationId: string; epoch: number; uid: string | undefined }) => {
      const { rows } = await sql<{ held: boolean }>`
        with fence as (
          select org_id from operation_claims
          where operation_id = ${stone.operationId} and epoch = ${stone.epoch} for share
        ), laid as (
          insert into organization_tombstones (org_id, operation_id, daemon_uid, created_at)
          select org_id, ${stone.operationId}, ${stone.uid ?? null}, ${clock.now()}::timestamptz from fence
          on conflict (org_id) do nothing
        )
        select exists (select from fence) as held`.execute(db)
      return rows[0]?.held ?? false
    },

    findTombstone: (orgId: string) =>
      db.selectFrom('organization_tombstones').selectAll().where('org_id', '=', orgId).executeTakeFirst(),
  }
}
