import { sql, type RawBuilder } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { InventoryItem, InventoryQuery } from '@svc/shared/wire/admin/inventory.api.ts'
import type { Db } from '../db/database.ts'
import { executorLives } from '../operations/executor-lives.ts'
import { isPublicMailDomain } from '../organizations/public-mail-domains.ts'

/** The position of an item in the list: its short name, then its id. */
export type InventoryPosition = [slug: string, orgId: string]
type Page = { items: InventoryItem[]; total: number; more: boolean }
type Row = {
  total: number
  org_id: string
  slug: string
  name: string
  kind: 'comped' | 'paid' | null
  granted_at: Date | null
  action: NonNullable<InventoryItem['claim']>['action'] | null
  operation_id: string | null
  expires_at: Date | null
  executor_lives: boolean | null
  problem: string | null
  view: InventoryItem['daemon']
}

export type InventoryRepository = ReturnType<typeof inventoryRepository>

/** Hosted organizations with entitlement, claim and last seen state of their daemon. */
export function inventoryRepository(db: Db, clock: Clock) {
  return {
    /**
     * The items that match a query, by slug, after a position. An organization with a lapsed entitlement counts as
     * having none.
     */
    list: async (query: InventoryQuery, after: InventoryPosition | undefined): Promise<Page> => {
      const { rows } = await sql<Row>`
        with items as materialized (${inventoryItems(clock.now())} where ${matching(query)}),
        page as (
          select * from items
          where ${after === undefined ? sql`true` : sql`(slug collate "C", org_id) > (${after[0]}, ${after[1]})`}
          order by slug collate "C", org_id limit ${query.limit + 1}
        )
        select totals.total, page.*, seen.view from (select count(*)::int as total from items) totals
          left join page on true left join inventory_daemons seen on seen.org_id = page.org_id
        order by page.slug collate "C", page.org_id`.execute(db)
      const found = rows.filter(({ org_id }) => org_id !== null)
      return {
        items: found.slice(0, query.limit).map((row) => toItem(row, clock.now())),
        total: rows[0]?.total ?? 0,
        more: found.length > query.limit,
      }
    },

    /** Domains whose verified users are admitted to an organization automatically. */
    listWorkspaceDomains: async (): Promise<string[]> => {
      const rows = await db.selectFrom('auto_admit_domains').select('domain').orderBy('domain').execute()
      return rows.map(({ domain }) => domain).filter((domain) => !isPublicMailDomain(domain))
    },
  }
}

/**
 * Every hosted organization joined with every daemon; a daemon whose organization is gone is described by its own
 * fields. `standing` is null where there is no daemon and nothing to look at. An operation may take longer than its claim
 * says: it is stuck only once its executor is gone.
 */
export function inventoryItems(now: Date): RawBuilder<unknown> {
  return sql`
    select * from (
      select coalesce(hosted.id, daemons.org_id) as org_id, coalesce(hosted.slug, daemons.org_slug) as slug,
        coalesce(hosted.name, daemons.org_slug) as name,
        entitlements.kind, entitlements.granted_at, claims.action, claims.operation_id, claims.expires_at,
        claims.claimed_at, claims.executor_lives, managed_daemons.last_problem as problem,
        case when managed_daemons.last_problem is not null
            or (claims.expires_at < ${now}::timestamptz and not claims.executor_lives) then 'attention'
          else daemons.standing end as standing,
        daemons.attention, daemons.attention_reason, daemons.attention_since, daemons.desired_state,
        daemons.observed_state, daemons.image, daemons.version, daemons.used_bytes, daemons.capacity_bytes
      from (select id, slug, name from organization where daemon_mode = 'cloud_hosted') hosted
        full join inventory_daemons daemons on daemons.org_id = hosted.id
        left join entitlements on entitlements.org_id = hosted.id
        left join managed_daemons on managed_daemons.organization_id = hosted.id
        left join (
          select operation_claims.*, ${executorLives('executor')} as executor_lives from operation_claims
        ) claims on claims.org_id = hosted.id
    ) joined`
}

function matching(query: InventoryQuery): RawBuilder<boolean> {
  const text = query.q?.toLowerCase() ?? ''
  const conditions = [
    text === '' ? undefined : sql`position(${text} in lower(concat_ws(chr(31), org_id, slug, name))) > 0`,
    query.orgId && sql`org_id = ${query.orgId}`,
    query.desiredState && sql`desired_state = ${query.desiredState}`,
    query.observedState && sql`observed_state = ${query.observedState}`,
    query.image && sql`image = ${query.image}`,
    query.version && sql`version = ${query.version}`,
    query.standing && sql`standing = ${query.standing}`,
    query.entitlement && sql`coalesce(kind, 'none') = ${query.entitlement}`,
  ].filter((condition) => condition !== undefined && condition !== '')
  return conditions.length === 0 ? sql`true` : sql`${sql.join(conditions, sql` and `)}`
}

function toItem(row: Row, now: Date): InventoryItem {
  return {
    orgId: row.org_id,
    orgSlug: row.slug,
    orgName: row.name,
    entitlement: row.kind && row.granted_at && { kind: row.kind, grantedAt: row.granted_at.toISOString() },
    daemon: row.view,
    problem: row.problem,
    lastEvent: null,
    backup: null,
    claim:
      row.action === null || row.operation_id === null
        ? null
        : {
            action: row.action,
            operationId: row.operation_id,
            expired: row.expires_at !== null && row.expires_at < now,
            executorAlive: row.executor_lives === true,
          },
  }
}
