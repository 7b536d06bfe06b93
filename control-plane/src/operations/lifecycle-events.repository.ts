import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { LifecycleEvent } from '@svc/shared/wire/admin/admin.api.ts'
import type { ObservedState } from '@svc/shared/wire/managed-daemon.ts'
import type { Db } from '../db/database.ts'
import { FencedOff } from './operation.ts'

export type LifecycleEventsRepository = ReturnType<typeof lifecycleEventsRepository>

type Detail = { image?: string; reason?: string; observedState?: ObservedState }
type OperationEvent = Detail & { orgId: string; kind: LifecycleEvent['kind']; operationId: string; epoch: number }

/** Lifecycle events of every runtime. Rows are inserted and never changed. */
export function lifecycleEventsRepository(db: Db, clock: Clock) {
  return {
    /**
     * Adds an event of an operation, once per kind. Throws FencedOff when the epoch is not held: called before an
     * effect, it also proves that the effect is still allowed.
     */
    insertFenced: async (event: OperationEvent): Promise<void> => {
      const { rows } = await sql<{ held: number }>`
        with fence as (
          select org_id from operation_claims
          where operation_id = ${event.operationId} and epoch = ${event.epoch} for share
        ), added as (
          insert into lifecycle_events (org_id, kind, at, operation_id, observed_state, image, reason)
          select org_id, ${event.kind}, ${clock.now()}::timestamptz, ${event.operationId},
            ${event.observedState ?? null}, ${event.image ?? null}, ${event.reason ?? null}
          from fence
          on conflict (operation_id, kind) where operation_id is not null do nothing
        )
        select 1 as held from fence`.execute(db)
      if (rows.length === 0) throw new FencedOff(event.operationId, event.epoch)
    },

    /** Adds an observed state unless it equals the organization's newest one. */
    insertObserved: async (orgId: string, observedState: ObservedState, detail: Detail): Promise<void> => {
      const write = async (trx: Db) => {
        // A statement of its own: the next one must see what the holder before committed.
        await sql`select pg_advisory_xact_lock(hashtextextended(${`svc-observed:${orgId}`}, 0))`.execute(trx)
        await sql`
          with latest as (
            -- As in the trigger of 0030: this order fits one index alone, whatever the statistics say.
            select org_id, observed_state from lifecycle_events
            where kind = 'state_observed' and (org_id, id) < (${orgId}, 9223372036854775807)
            order by org_id desc, id desc limit 1
          )
          insert into lifecycle_events (org_id, kind, at, observed_state, image, reason)
          select ${orgId}, 'state_observed', ${clock.now()}::timestamptz, ${observedState},
            ${detail.image ?? null}, ${detail.reason ?? null}
          where ${observedState} is distinct from (select observed_state from latest where org_id = ${orgId})`.execute(
          trx,
        )
      }
      await (db.isTransaction ? write(db) : db.transaction().execute(write))
    },

    /** Adds an event outside operations, such as a wake. */
    insert: async (orgId: string, kind: LifecycleEvent['kind'], detail: Detail = {}): Promise<void> => {
      await db
        .insertInto('lifecycle_events')
        .values({
          org_id: orgId,
          kind,
          at: clock.now(),
          observed_state: detail.observedState,
          image: detail.image,
          reason: detail.reason,
        })
        .execute()
    },

    /** When the newest event of a kind happened; undefined when there was none. */
    findLastAt: async (orgId: string, kind: LifecycleEvent['kind']): Promise<Date | undefined> => {
      const row = await db
        .selectFrom('lifecycle_events')
        .select('at')
        .where('org_id', '=', orgId)
        .where('kind', '=', kind)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row?.at
    },

    /** The image that was last confirmed running; undefined when there was none. */
    findLastImage: async (orgId: string): Promise<string | undefined> => {
      const row = await db
        .selectFrom('lifecycle_events')
        .select('image')
        .where('org_id', '=', orgId)
        .where('kind', 'in', ['provisioned', 'image_rolled'])
        .where('image', 'is not', null)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row?.image ?? undefined
    },

    /** Events of one organization, newest first, before a position. */
    list: async (orgId: string, limit: number, before: number | undefined): Promise<LifecycleEvent[]> => {
      const rows = await db
        .selectFrom('lifecycle_events')
        .selectAll()
        .where('org_id', '=', orgId)
        .$if(before !== undefined, (query) => query.where('id', '<', before!))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return rows.map((row) => ({
        id: String(row.id),
        orgId: row.org_id,
        kind: row.kind,
        at: row.at.toISOString(),
        operationId: row.operation_id ?? undefined,
        observedState: row.observed_state ?? undefined,
        image: row.image ?? undefined,
        reason: row.reason ?? undefined,
      }))
    },

    /** The newest event of each of these organizations. */
    listLatest: async (orgIds: string[]) => {
      const { rows } = await sql<{
        org_id: string
        kind: LifecycleEvent['kind']
        at: Date
        observed_state: ObservedState | null
      }>`
        select distinct on (org_id) org_id, kind, at, observed_state from lifecycle_events
        where org_id = any(${orgIds}) order by org_id, id desc`.execute(db)
      return new Map(
        rows.map((row) => [
          row.org_id,
          { kind: row.kind, at: row.at.toISOString(), observedState: row.observed_state ?? undefined },
        ]),
      )
    },
  }
}
