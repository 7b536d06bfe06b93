import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { Db } from '../db/database.ts'
import type { IntegrationState } from '../db/tables/agents.tables.ts'

type Wish = { orgId: string; key: string; name: string; userId: string }
/** `no_room`: too many requests wait for a decision, so that nothing was recorded. */
type Requested = 'recorded' | 'known' | 'no_room'
type Approval = { key: string; canWrite: boolean; expiresAt: Date; userId: string }

/** Requests without a decision, of an organization and of one member: no member can keep the others from asking. */
const WAITING_AT_MOST = 200
const OWN_WAITING_AT_MOST = 20

/** What organizations and the platform decided about kinds of clients. */
export function integrationsRepository(db: Db, clock: Clock) {
  const find = (trx: Db, orgId: string, id: string) =>
    trx.selectFrom('agent_integrations').selectAll().where('org_id', '=', orgId).where('id', '=', id)

  return {
    find: (trx: Db, orgId: string, id: string) => find(trx, orgId, id).executeTakeFirst(),

    /** Makes the decisions of an organization wait for each other until the transaction ends. */
    lock: (trx: Db, orgId: string) =>
      trx.selectFrom('organization').select('id').where('id', '=', orgId).forNoKeyUpdate().executeTakeFirst(),

    /** All rules: there are few, and a rule that allows something changes the meaning of the others. */
    listRules: () => db.selectFrom('agent_rules').selectAll().orderBy('key').execute(),

    setRule: async (trx: Db, key: string, verdict: 'allowed' | 'blocked', userId: string): Promise<void> => {
      const decided = { verdict, decided_by: userId, decided_at: clock.now() }
      await trx
        .insertInto('agent_rules')
        .values({ key, ...decided })
        .onConflict((row) => row.column('key').doUpdateSet(decided))
        .execute()
    },

    deleteRule: (trx: Db, key: string) => trx.deleteFrom('agent_rules').where('key', '=', key).execute(),

    /**
     * Records that a member's client needs approval. An existing request or decision is left as it is; an approval that
     * has expired is requested again. A bounded number of requests waits: each decision makes room.
     */
    request: async ({ orgId, key, name, userId }: Wish): Promise<Requested> => {
      const now = clock.now()
      const asked = { name, state: 'requested' as const, requested_by: userId, requested_at: now }
      const row = await db
        .insertInto('agent_integrations')
        .columns(['id', 'org_id', 'key', 'name', 'state', 'requested_by', 'requested_at'])
        .expression(
          sql`select ${newId('int_')}, ${orgId}, ${key}, ${name}, 'requested', ${userId}, ${now}::timestamptz
            where exists (select from agent_integrations where org_id = ${orgId} and key = ${key})
              or (select count(*) < ${WAITING_AT_MOST}
                  and count(*) filter (where requested_by = ${userId}) < ${OWN_WAITING_AT_MOST}
                from agent_integrations where org_id = ${orgId} and state = 'requested')`,
        )
        .onConflict((conflict) =>
          conflict
            .columns(['org_id', 'key'])
            .doUpdateSet(asked)
            .where('agent_integrations.state', '=', 'approved')
            .where('agent_integrations.expires_at', '<=', now),
        )
        .returning('id')
        .executeTakeFirst()
      if (row !== undefined) return 'recorded'
      const known = await db
        .selectFrom('agent_integrations')
        .select('id')
        .where('org_id', '=', orgId)
        .where('key', '=', key)
        .executeTakeFirst()
      return known === undefined ? 'no_room' : 'known'
    },

    /** Approves a row, and moves it to a wider key if the admin chose one. */
    approve: (trx: Db, orgId: string, id: string, { key, canWrite, expiresAt, userId }: Approval) =>
      trx
        .updateTable('agent_integrations')
        .set({
          key,
          state: 'approved',
          can_write: canWrite,
          approved_by: userId,
          approved_at: clock.now(),
          expires_at: expiresAt,
        })
        .where('org_id', '=', orgId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst(),

    /** Deletes rows in the way of a row that moves to this key. */
    deleteKey: (trx: Db, orgId: string, { key, exceptId }: { key: string; exceptId: string }) =>
      trx
        .deleteFrom('agent_integrations')
        .where('org_id', '=', orgId)
        .where('key', '=', key)
        .where('id', '!=', exceptId)
        .execute(),

    /** Changes the state of a row that an admin has decided about before. */
    updateState: (trx: Db, orgId: string, id: string, change: { from: IntegrationState[]; to: IntegrationState }) =>
      trx
        .updateTable('agent_integrations')
        .set({ state: change.to })
        .where('org_id', '=', orgId)
        .where('id', '=', id)
        .where('state', 'in', change.from)
        .returningAll()
        .executeTakeFirst(),

    recordUses: async (
      { orgId, key }: { orgId: string; key: string },
      { reads, writes }: { reads: number; writes: number },
    ): Promise<void> => {
      await db
        .updateTable('agent_integrations')
        .set({ last_used_at: clock.now(), reads: sql`reads + ${reads}`, writes: sql`writes + ${writes}` })
        .where('org_id', '=', orgId)
        .where('key', '=', key)
        .execute()
    },

    /** Every row of an organization with the members who use it; a row for a whole site counts all of its keys. */
    list: (orgId: string) =>
      db
        .selectFrom('agent_integrations as integration')
        .leftJoin('user as asker', 'asker.id', 'integration.requested_by')
        .leftJoin('user as approver', 'approver.id', 'integration.approved_by')
        .selectAll('integration')
        .select([nameOf('asker').as('asker_name'), nameOf('approver').as('approver_name')])
        .select((row) => [
          jsonArrayFrom(
            row
              .selectFrom('agent_grants as grant')
              .innerJoin('user as person', 'person.id', 'grant.user_id')
              .innerJoin('member', 'member.userId', 'grant.user_id')
              .select([nameOf('person').$notNull().as('name'), 'grant.can_write', 'grant.vaults', 'grant.last_used_at'])
              .whereRef('member.organizationId', '=', 'integration.org_id')
              .where('grant.expires_at', '>', clock.now())
              .where(
                sql<boolean>`("grant".integration_key = integration.key
                  or (split_part(integration.key, '/', 4) = '' and starts_with("grant".integration_key, integration.key || '/')))`,
              )
              .where(sql<boolean>`"grant".vaults @> jsonb_build_array(jsonb_build_object('orgId', integration.org_id))`)
              .orderBy('name'),
          ).as('people'),
        ])
        .where('integration.org_id', '=', orgId)
        .orderBy(sql`integration.state = 'requested'`, 'desc')
        .orderBy('integration.last_used_at', (order) => order.desc().nullsLast())
        .orderBy('integration.name')
        .execute(),
  }
}

/** The name of a person, else the address of a member; null for one who is gone, or has left and has no name. */
const nameOf = (person: 'asker' | 'approver' | 'person') =>
  sql<string | null>`coalesce(
    nullif(${sql.ref(`${person}.name`)}, ''),
    (select ${sql.ref(`${person}.email`)} from member
      where "userId" = ${sql.ref(`${person}.id`)} and "organizationId" = integration.org_id))`

export type IntegrationsRepository = ReturnType<typeof integrationsRepository>
export type IntegrationRow = Awaited<ReturnType<IntegrationsRepository['list']>>[number]
