import { sql } from 'kysely'
import type { OperationAction } from '@svc/shared/wire/admin.api.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'

export type InventoryRow = {
  orgId: string
  slug: string
  name: string
  entitlement: { kind: 'comped' | 'paid'; grantedAt: Date } | null
  claim: { action: OperationAction; operationId: string; expired: boolean } | null
  problem: string | null
}
type Row = {
  id: string
  slug: string
  name: string
  kind: 'comped' | 'paid' | null
  granted_at: Date | null
  action: OperationAction | null
  operation_id: string | null
  expires_at: Date | null
  last_problem: string | null
}
export type InventoryRepository = ReturnType<typeof inventoryRepository>

/** Hosted organizations with their right to a daemon and the claim on them. */
export function inventoryRepository(db: Db, clock: Clock) {
  return {
    /** All of them, by slug. One whose entitlement has lapsed has none, though its daemon is there. */
    list: async (): Promise<InventoryRow[]> => {
      const { rows } = await sql<Row>`
        select organization.id, organization.slug, organization.name,
          entitlements.kind, entitlements.granted_at,
          claims.action, claims.operation_id, claims.expires_at, managed_daemons.last_problem
        from organization
          left join entitlements on entitlements.org_id = organization.id
          left join managed_daemons on managed_daemons.organization_id = organization.id
          left join operation_claims claims on claims.org_id = organization.id
        where organization.daemon_mode = 'cloud_hosted'
        order by organization.slug`.execute(db)
      return rows.map((row) => toInventoryRow(row, clock.now()))
    },

    /** Domains whose verified users are admitted to an organization by themselves. */
    listWorkspaceDomains: async (): Promise<string[]> => {
      const rows = await db.selectFrom('auto_admit_domains').select('domain').orderBy('domain').execute()
      return rows.map(({ domain }) => domain)
    },
  }
}

function toInventoryRow(row: Row, now: Date): InventoryRow {
  return {
    orgId: row.id,
    slug: row.slug,
    name: row.name,
    entitlement: row.kind && row.granted_at && { kind: row.kind, grantedAt: row.granted_at },
    problem: row.last_problem,
    claim:
      row.action === null || row.operation_id === null
        ? null
        : {
            action: row.action,
            operationId: row.operation_id,
            expired: row.expires_at !== null && row.expires_at < now,
          },
  }
}
