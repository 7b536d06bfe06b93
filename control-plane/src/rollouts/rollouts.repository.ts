import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { type Actor } from '@svc/shared/wire/admin/admin.api.ts'
import { RolloutSettings, type RolloutState } from '@svc/shared/wire/admin/rollouts.api.ts'
import { auditRecordText, canonicalJson } from '../audit/canonical-json.ts'
import type { Db } from '../db/database.ts'
import type { RolloutsTable } from '../db/tables/rollouts.tables.ts'

export type RolloutRecord = {
  id: string
  operationId: string
  image: string
  reason: string
  actor: Actor
  settings: RolloutSettings
  state: RolloutState
  stateReason: string | undefined
  currentWave: number
  soakUntil: Date | undefined
  failureBudget: number
  failuresBorne: number
  createdAt: Date
  finishedAt: Date | undefined
}
export type NewRollout = Pick<RolloutRecord, 'id' | 'operationId' | 'image' | 'reason' | 'actor' | 'settings'>
export type NewMember = { orgId: string; wave: number; operationId: string }
export type RolloutsRepository = ReturnType<typeof rolloutsRepository>

/** A change of a rollout's state: who requested it, and the state before. */
export type StateChange = {
  from: RolloutState[]
  to: RolloutState
  actor: Actor
  reason?: string
  stateReason?: string
  failureBudget?: number
}

const OPEN: RolloutState[] = ['running', 'paused', 'stopped']

/** Rollouts and their progress. Every change also writes its audit row, in the platform's chain. */
export function rolloutsRepository(db: Db, clock: Clock) {
  const auditText = (
    event: string,
    record: { actor: Actor; rolloutId: string; reason?: string; outcome?: string; image?: string },
  ) => auditRecordText({ at: clock.now().toISOString(), event, ...record })

  return {
    /**
     * Records a rollout with its members in one transaction and takes over the members that an older one had deferred,
     * or whose organizations were too busy for its roll to begin. Undefined when the operationId is known or another
     * rollout is open.
     */
    insert: (rollout: NewRollout, members: NewMember[]): Promise<RolloutRecord | undefined> =>
      db.transaction().execute(async (trx) => {
        const now = clock.now()
        const row = await trx
          .insertInto('rollouts')
          .values({
            rollout_id: rollout.id,
            operation_id: rollout.operationId,
            image: rollout.image,
            reason: rollout.reason,
            actor_kind: rollout.actor.kind,
            actor_id: rollout.actor.id,
            settings: canonicalJson(rollout.settings),
            state: 'running',
            failure_budget: rollout.settings.failureBudget,
            created_at: now,
            updated_at: now,
          })
          .onConflict((conflict) => conflict.doNothing())
          .returningAll()
          .executeTakeFirst()
        if (row === undefined) return undefined

        await trx
          .updateTable('rollout_members')
          .set({ state: 'skipped', reason: 'Superseded', updated_at: now })
          .where((members) =>
            members.or([
              members('state', '=', 'deferred'),
              members.and([
                members('state', 'in', ['rolling', 'stalled']),
                members.not(
                  members.exists(
                    members
                      .selectFrom('operations')
                      .select('operations.operation_id')
                      .whereRef('operations.operation_id', '=', 'rollout_members.operation_id'),
                  ),
                ),
              ]),
            ]),
          )
          .execute()
        await sql`
          insert into rollout_members (rollout_id, org_id, wave, operation_id, state, updated_at)
          select ${rollout.id}, org_id, wave, operation_id, 'pending', ${now}::timestamptz
          from unnest(${members.map(({ orgId }) => orgId)}::text[], ${members.map(({ wave }) => wave)}::int[],
            ${members.map(({ operationId }) => operationId)}::text[]) as given (org_id, wave, operation_id)`.execute(
          trx,
        )
        const { actor, reason, image } = rollout
        const record = auditText('rollout.created', { actor, rolloutId: rollout.id, reason, image })
        await trx.insertInto('audit_entries').values({ chain: 'platform', record }).execute()
        return toRecord(row)
      }),

    find: async (id: string): Promise<RolloutRecord | undefined> => {
      const row = await db.selectFrom('rollouts').selectAll().where('rollout_id', '=', id).executeTakeFirst()
      return row && toRecord(row)
    },

    findByOperation: async (operationId: string): Promise<RolloutRecord | undefined> => {
      const row = await db.selectFrom('rollouts').selectAll().where('operation_id', '=', operationId).executeTakeFirst()
      return row && toRecord(row)
    },

    /** Newest first, after a position. */
    list: async (limit: number, after: { createdAt: string; id: string } | undefined): Promise<RolloutRecord[]> => {
      const { rows } = await sql<RolloutsTable & { current_wave: number; failures_borne: number }>`
        select * from rollouts
        where ${after?.createdAt ?? null}::timestamptz is null
          or (created_at, rollout_id) < (${after?.createdAt ?? null}, ${after?.id ?? null})
        order by created_at desc, rollout_id desc limit ${limit}`.execute(db)
      return rows.map(toRecord)
    },

    /** Rollouts that still have something to do, including those that wait for quiet hours. */
    listUnfinished: async (): Promise<string[]> => {
      const { rows } = await sql<{ rollout_id: string }>`
        select rollout_id from rollouts where state = 'running'
          or exists (select from rollout_members members where members.rollout_id = rollouts.rollout_id
            and (members.state in ('rolling', 'stalled')
              or (members.state = 'deferred' and rollouts.state = 'succeeded'
                and rollouts.settings::jsonb ? 'quietHours')))`.execute(db)
      return rows.map((row) => row.rollout_id)
    },

    /** Changes the state from certain ones only; false when it was another. Resuming accepts the failures so far. */
    updateState: async (id: string, change: StateChange): Promise<boolean> => {
      const now = clock.now()
      const over = change.to === 'aborted' || change.to === 'succeeded'
      const text = auditText(`rollout.${change.to}`, {
        actor: change.actor,
        rolloutId: id,
        reason: change.reason,
        outcome: change.stateReason,
      })
      const { rows } = await sql`
        with changed as (
          update rollouts set state = ${change.to}, state_reason = ${change.stateReason ?? null}, updated_at = ${now},
            finished_at = ${over ? now : null},
            failure_budget = coalesce(${change.failureBudget ?? null}::int, failure_budget),
            failures_borne = case when ${change.to} = 'running' then (
              select count(*) from rollout_members members
              where members.rollout_id = rollouts.rollout_id and members.state in ('failed', 'stalled'))
              else failures_borne end
          where rollout_id = ${id} and state = any(${change.from}::text[])
          returning rollout_id
        ), audit as (
          insert into audit_entries (chain, record) select 'platform', ${text} from changed
        )
        select rollout_id from changed`.execute(db)
      return rows.length === 1
    },

    updateSoak: async (id: string, wave: number, soakUntil: Date): Promise<void> => {
      await db
        .updateTable('rollouts')
        .set({ soak_until: soakUntil, updated_at: clock.now() })
        .where('rollout_id', '=', id)
        .where('current_wave', '=', wave)
        .where('state', '=', 'running')
        .execute()
    },

    /** Continues with the wave after this one; a repeat changes nothing. */
    updateWave: async (id: string, wave: number): Promise<void> => {
      await db
        .updateTable('rollouts')
        .set({ current_wave: wave + 1, soak_until: null, updated_at: clock.now() })
        .where('rollout_id', '=', id)
        .where('current_wave', '=', wave)
        .where('state', '=', 'running')
        .execute()
    },

    hasOpen: async (): Promise<boolean> => {
      const row = await db.selectFrom('rollouts').select('rollout_id').where('state', 'in', OPEN).executeTakeFirst()
      return row !== undefined
    },
  }
}

function toRecord(row: { [K in keyof RolloutsTable]: unknown }): RolloutRecord {
  const stored = row as RolloutsTable & { current_wave: number; failures_borne: number }
  return {
    id: stored.rollout_id,
    operationId: stored.operation_id,
    image: stored.image,
    reason: stored.reason,
    actor: { kind: stored.actor_kind, id: stored.actor_id },
    settings: RolloutSettings.parse(JSON.parse(stored.settings)),
    state: stored.state,
    stateReason: stored.state_reason ?? undefined,
    currentWave: stored.current_wave,
    soakUntil: stored.soak_until ?? undefined,
    failureBudget: stored.failure_budget,
    failuresBorne: stored.failures_borne,
    createdAt: stored.created_at,
    finishedAt: stored.finished_at ?? undefined,
  }
}
