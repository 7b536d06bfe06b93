import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { OperationState } from '@svc/shared/wire/admin/admin.api.ts'
import type { MemberCounts, Rollout, RolloutMemberState, RolloutState } from '@svc/shared/wire/admin/rollouts.api.ts'
import type { Db } from '../db/database.ts'
import { noMembers } from './member-counts.ts'

export type RolloutMember = {
  rolloutId: string
  orgId: string
  wave: number
  operationId: string
  beganAt: Date | undefined
}
/** A member in progress, with the state of its operation. */
export type MemberUnderWay = RolloutMember & {
  state: 'rolling' | 'stalled'
  operation: { state: OperationState; attempts: number; reason: string | undefined } | undefined
  /** Whether an admin has rolled this organization alone since the rollout was created. */
  isSuperseded: boolean
}
export type RolloutMembersRepository = ReturnType<typeof rolloutMembersRepository>

/** The states of a rollout in which it begins members: sleepers also after the last wave. */
const BEGINNING: RolloutState[] = ['running', 'succeeded']

type Change = { from: RolloutMemberState[]; to: RolloutMemberState; reason?: string }
/** Without `below` the member rolls however many others do. */
type Beginning = { from: RolloutMemberState; below?: number | undefined }
type Row = { rollout_id: string; org_id: string; wave: number; operation_id: string; began_at: Date | null }

/** Whether somebody rolled the organization of a member after its rollout was created, and that did not fail. */
const superseded = sql<boolean>`exists (
  select from operations later join rollouts on rollouts.rollout_id = members.rollout_id
  where later.org_id = members.org_id and later.action = 'image_roll' and later.state <> 'failed'
    and later.requested_at > rollouts.created_at
    and not exists (select from rollout_members rolled where rolled.operation_id = later.operation_id))`

/** The members of rollouts, each in one state. */
export function rolloutMembersRepository(db: Db, clock: Clock) {
  return {
    /** How many members each wave has in each state. */
    countByWave: async (rolloutId: string): Promise<MemberCounts[]> => {
      const { rows } = await sql<{ wave: number; state: RolloutMemberState; members: number }>`
        select wave, state, count(*)::int as members from rollout_members
        where rollout_id = ${rolloutId} group by wave, state`.execute(db)
      const waves: MemberCounts[] = []
      for (const { wave, state, members } of rows) {
        const counts = (waves[wave] ??= { ...noMembers })
        counts[state] += members
        counts.total += members
      }
      return waves
    },

    /** Members in a state, of one wave or of all, in a stable order. */
    list: async (rolloutId: string, state: RolloutMemberState, { wave, limit }: { wave?: number; limit: number }) => {
      const rows = await db
        .selectFrom('rollout_members')
        .selectAll()
        .where('rollout_id', '=', rolloutId)
        .where('state', '=', state)
        .$if(wave !== undefined, (query) => query.where('wave', '=', wave!))
        .orderBy('operation_id')
        .limit(limit)
        .execute()
      return rows.map(toMember)
    },

    /** Members that roll or have stalled, with their operations. */
    listUnderWay: async (rolloutId: string): Promise<MemberUnderWay[]> => {
      type Joined = Row & {
        state: 'rolling' | 'stalled'
        op: OperationState | null
        attempts: number
        why: string | null
        superseded: boolean
      }
      const { rows } = await sql<Joined>`
        select members.*, operations.state as op, operations.attempts,
          coalesce(operations.failure_reason, operations.failure_code) as why, ${superseded} as superseded
        from rollout_members members left join operations using (operation_id)
        where rollout_id = ${rolloutId} and members.state in ('rolling', 'stalled')`.execute(db)
      return rows.map((row) => ({
        ...toMember(row),
        state: row.state,
        isSuperseded: row.superseded,
        operation:
          row.op === null ? undefined : { state: row.op, attempts: row.attempts, reason: row.why ?? undefined },
      }))
    },

    /** Moves one member between states. False when it was in another state: another process moved it. */
    update: async (rolloutId: string, orgId: string, { from, to, reason }: Change): Promise<boolean> => {
      const now = clock.now()
      const { numUpdatedRows } = await db
        .updateTable('rollout_members')
        .set({ state: to, reason: reason ?? null, updated_at: now, ...(to === 'rolling' ? { began_at: now } : {}) })
        .where('rollout_id', '=', rolloutId)
        .where('org_id', '=', orgId)
        .where('state', 'in', from)
        .executeTakeFirst()
      return numUpdatedRows === 1n
    },

    /**
     * Marks a member as rolling while its rollout may begin members, and fewer than `below` roll. The lock makes a pause
     * or an abort wait, so nobody is marked after either has returned; other workers wait too, so each counts the
     * members that the others have marked.
     */
    begin: ({ rolloutId, orgId }: RolloutMember, { from, below }: Beginning): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const rollout = await trx
          .selectFrom('rollouts')
          .select('state')
          .where('rollout_id', '=', rolloutId)
          .where('state', 'in', BEGINNING)
          .forNoKeyUpdate()
          .executeTakeFirst()
        if (rollout === undefined) return false
        if (below !== undefined && (await countRolling(trx, rolloutId)) >= below) return false

        return rolloutMembersRepository(trx, clock).update(rolloutId, orgId, { from: [from], to: 'rolling' })
      }),

    /** Whether the roll of a member that is marked as rolling may still begin. */
    mayBegin: async ({ rolloutId, orgId }: RolloutMember): Promise<boolean> => {
      const row = await db
        .selectFrom('rollout_members as members')
        .innerJoin('rollouts', 'rollouts.rollout_id', 'members.rollout_id')
        .select('members.org_id')
        .where('members.rollout_id', '=', rolloutId)
        .where('members.org_id', '=', orgId)
        .where('members.state', 'in', ['rolling', 'stalled'])
        .where('rollouts.state', 'in', BEGINNING)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Releases all members that were not started. */
    skipRest: async (rolloutId: string, reason: string): Promise<void> => {
      await db
        .updateTable('rollout_members')
        .set({ state: 'skipped', reason, updated_at: clock.now() })
        .where('rollout_id', '=', rolloutId)
        .where('state', 'in', ['pending', 'deferred'])
        .execute()
    },

    /** The deferred member of an organization in a running or completed rollout; paused and stopped rollouts wait. */
    findDeferred: async (orgId: string): Promise<RolloutMember | undefined> => {
      const { rows } = await sql<Row>`
        select members.* from rollout_members members join rollouts using (rollout_id)
        where org_id = ${orgId} and members.state = 'deferred' and rollouts.state in ('running', 'succeeded')
        limit 1`.execute(db)
      return rows[0] && toMember(rows[0])
    },

    isSuperseded: async ({ rolloutId, orgId }: RolloutMember): Promise<boolean> => {
      const { rows } = await sql`
        select from rollout_members members
        where rollout_id = ${rolloutId} and org_id = ${orgId} and ${superseded}`.execute(db)
      return rows.length === 1
    },

    listProblems: async (rolloutId: string): Promise<Rollout['problems']> => {
      const rows = await db
        .selectFrom('rollout_members')
        .selectAll()
        .where('rollout_id', '=', rolloutId)
        .where('state', 'in', ['failed', 'stalled'])
        .orderBy('updated_at', 'desc')
        .limit(50)
        .execute()
      return rows.map(({ org_id, operation_id, state, reason }) => ({
        orgId: org_id,
        operationId: operation_id,
        state,
        reason: reason ?? undefined,
      }))
    },
  }
}

const toMember = (row: Row): RolloutMember => ({
  rolloutId: row.rollout_id,
  orgId: row.org_id,
  wave: row.wave,
  operationId: row.operation_id,
  beganAt: row.began_at ?? undefined,
})

async function countRolling(db: Db, rolloutId: string): Promise<number> {
  const { members } = await db
    .selectFrom('rollout_members')
    .select(({ fn }) => fn.countAll<string>().as('members'))
    .where('rollout_id', '=', rolloutId)
    .where('state', '=', 'rolling')
    .executeTakeFirstOrThrow()
  return Number(members)
}
