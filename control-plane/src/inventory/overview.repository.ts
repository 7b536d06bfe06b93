import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Overview, Standing } from '@svc/shared/wire/admin/inventory.api.ts'
import type { Db } from '../db/database.ts'
import { lastHours } from './awake-hours.ts'
import { inventoryItems } from './inventory.repository.ts'

const ATTENTION_SHOWN = 20
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type Counts = Overview['counts']
type AttentionRow = {
  org_id: string
  slug: string
  name: string
  kind: Overview['attention'][number]['kind']
  reason: string
  since: Date | null
}

export type OverviewRepository = ReturnType<typeof overviewRepository>

/** The fleet in numbers. Each is one statement over what the inventory holds. */
export function overviewRepository(db: Db, clock: Clock) {
  return {
    countByStanding: async (): Promise<Counts> => {
      const { rows } = await sql<{ standing: Standing | null; count: number }>`
        select standing, count(*)::int as count from (${inventoryItems(clock.now())}) items group by standing`.execute(
        db,
      )
      const counts: Counts = { attention: 0, changing: 0, running: 0, asleep: 0, none: 0 }
      for (const { standing, count } of rows) counts[standing ?? 'none'] = count
      return counts
    },

    /** Organizations that need attention. Those whose provisioning is stuck come first, then the longest waiting. */
    listAttention: async (): Promise<Overview['attention']> => {
      const { rows } = await sql<AttentionRow>`
        select org_id, slug, name,
          case when problem is not null then 'stuck' when attention is not null then attention else 'claim_expired' end
            as kind,
          coalesce(problem, attention_reason, 'An operation has not ended: ' || replace(action, '_', ' ') || '.') as reason,
          case when problem is not null then null else coalesce(attention_since, claimed_at) end as since
        from (${inventoryItems(clock.now())} where standing = 'attention') items
        order by since nulls first, slug limit ${ATTENTION_SHOWN}`.execute(db)
      return rows.map(({ org_id, slug, name, kind, reason, since }) => ({
        orgId: org_id,
        orgSlug: slug,
        orgName: name,
        kind,
        reason,
        ...(since === null ? {} : { since: since.toISOString() }),
      }))
    },

    readStorage: async (): Promise<Overview['storage']> => {
      const { rows } = await sql<{ decile: number; count: number; used: number; capacity: number }>`
        select least(9, floor(10.0 * used_bytes / capacity_bytes))::int as decile, count(*)::int as count,
          sum(used_bytes)::bigint as used, sum(capacity_bytes)::bigint as capacity
        from inventory_daemons where capacity_bytes > 0 and used_bytes is not null group by decile`.execute(db)
      const deciles = Array.from({ length: 10 }, () => 0)
      for (const { decile, count } of rows) deciles[decile] = count
      return {
        deciles,
        usedBytes: rows.reduce((sum, { used }) => sum + used, 0),
        capacityBytes: rows.reduce((sum, { capacity }) => sum + capacity, 0),
      }
    },

    /** Running daemons and outcomes of operations, by the hour. */
    readDay: async (awake: number): Promise<Overview['day']> => {
      const now = clock.now()
      const from = new Date(Math.floor((now.getTime() - DAY_MS) / HOUR_MS) * HOUR_MS)
      const [turned, ended] = await Promise.all([
        sql<{ hour: number; turned: number }>`
          select hour, sum(turned)::int as turned from awake_changes
          where hour >= ${from.getTime() / HOUR_MS}::int group by hour`.execute(db),
        sql<{ hour: number; succeeded: number; failed: number }>`
          select floor(extract(epoch from finished_at) / 3600)::int as hour,
            count(*) filter (where state = 'succeeded')::int as succeeded,
            count(*) filter (where state = 'failed')::int as failed
          from operations where finished_at >= ${from}::timestamptz group by hour`.execute(db),
      ])
      return lastHours(now, {
        awake,
        turned: new Map(turned.rows.map((row) => [row.hour, row.turned])),
        ended: new Map(ended.rows.map((row) => [row.hour, row])),
      })
    },
  }
}
