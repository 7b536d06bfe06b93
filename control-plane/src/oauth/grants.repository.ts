import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { compileOnce, type SlotOf } from '../db/compile-once.ts'
import type { Db } from '../db/database.ts'
import type { GrantedVault } from '../db/tables/agents.tables.ts'

const GRANT_MS = 90 * 86_400_000

type TokenUse = { tokenHash: string; resource: string; sessionId: string | undefined }
type Decision = { userId: string; clientId: string; key: string; canWrite: boolean; vaults: GrantedVault[] }

/** What people allowed clients. A trigger deletes the tokens of a deleted grant. */
export function grantsRepository(db: Db, clock: Clock) {
  const until = () => new Date(clock.now().getTime() + GRANT_MS)
  const live = () =>
    db
      .selectFrom('agent_grants as grant')
      .innerJoin('oauthClient as client', 'client.clientId', 'grant.client_id')
      .where('grant.expires_at', '>', clock.now())

  const readByToken = compileOnce(db, (slot: SlotOf<{ tokenHash: string; sessionId: string; now: Date }>) =>
    db
      .selectFrom('agent_grants as grant')
      .innerJoin('oauthClient as client', 'client.clientId', 'grant.client_id')
      .innerJoin('oauthAccessToken as token', (join) =>
        join.onRef('token.clientId', '=', 'grant.client_id').onRef('token.userId', '=', 'grant.user_id'),
      )
      .innerJoin('user as person', 'person.id', 'grant.user_id')
      .select(['grant.id', 'grant.client_id', 'grant.integration_key', 'grant.can_write', 'grant.vaults'])
      .select('grant.paused_at')
      .select(['client.name as client_name', 'token.scopes', 'token.resources', 'token.expiresAt'])
      .select(['person.id as user_id', 'person.name as user_name'])
      .select((row) =>
        row
          .exists(row.selectFrom('agent_sessions_ended').select('id').where('id', '=', slot('sessionId')))
          .as('has_ended_session'),
      )
      .where('grant.expires_at', '>', slot('now'))
      .where('token.token', '=', slot('tokenHash'))
      .where('token.expiresAt', '>', slot('now'))
      .where('token.revoked', 'is', null),
  )

  return {
    /**
     * Stores a person's decision. If the client's codes went to another address before, its tokens are deleted: tokens
     * that one address received must not gain what another one was approved for.
     */
    upsert: ({ userId, clientId, key, canWrite, vaults }: Decision): Promise<void> =>
      db.transaction().execute(async (trx) => {
        await trx
          .deleteFrom('agent_grants')
          .where('user_id', '=', userId)
          .where('client_id', '=', clientId)
          .where('integration_key', '!=', key)
          .execute()
        const decided = { can_write: canWrite, vaults: JSON.stringify(vaults), expires_at: until() }
        await trx
          .insertInto('agent_grants')
          .values({
            id: newId('agt_'),
            user_id: userId,
            client_id: clientId,
            integration_key: key,
            created_at: clock.now(),
            ...decided,
          })
          .onConflict((row) => row.columns(['user_id', 'client_id']).doUpdateSet(decided))
          .execute()
      }),

    /**
     * The grant of the live token with this hash, for exactly this audience, and whether this session was ended. One
     * statement: every request of an agent waits for it.
     */
    findByAccessToken: async ({ tokenHash, resource, sessionId }: TokenUse) => {
      const [row] = await readByToken({ tokenHash, sessionId: sessionId ?? '', now: clock.now() })
      if (row?.resources?.length !== 1 || row.resources[0] !== resource) return undefined
      const { has_ended_session: hasEndedSession, ...grant } = row
      return { grant, hasEndedSession: hasEndedSession === true }
    },

    /** What a live grant covers now; undefined when it has ended. */
    findById: (id: string) =>
      live()
        .select(['grant.integration_key', 'grant.can_write', 'grant.vaults', 'grant.paused_at'])
        .where('grant.id', '=', id)
        .executeTakeFirst(),

    /** The key of the live grant of an access or refresh token; undefined when there is none. */
    findKeyByToken: async (table: 'oauthAccessToken' | 'oauthRefreshToken', tokenHash: string) => {
      const row = await live()
        .innerJoin(`${table} as token`, (join) =>
          join.onRef('token.clientId', '=', 'grant.client_id').onRef('token.userId', '=', 'grant.user_id'),
        )
        .select('grant.integration_key')
        .where('token.token', '=', tokenHash)
        .executeTakeFirst()
      return row?.integration_key
    },

    /** Deletes the tokens of one response of the token endpoint. */
    deleteTokens: async (tokenHashes: string[]): Promise<void> => {
      await db.deleteFrom('oauthAccessToken').where('token', 'in', tokenHashes).execute()
      await db.deleteFrom('oauthRefreshToken').where('token', 'in', tokenHashes).execute()
    },

    /** Counts a call and extends the grant while it is used. */
    recordUses: async (id: string, { reads, writes }: { reads: number; writes: number }): Promise<void> => {
      await db
        .updateTable('agent_grants')
        .set({
          last_used_at: clock.now(),
          expires_at: until(),
          reads: sql`reads + ${reads}`,
          writes: sql`writes + ${writes}`,
        })
        .where('id', '=', id)
        .execute()
    },

    listOf: (userId: string) =>
      live()
        .select(['grant.id', 'grant.client_id', 'grant.integration_key', 'grant.can_write', 'grant.vaults'])
        .select(['grant.created_at', 'grant.last_used_at', 'grant.expires_at', 'grant.paused_at'])
        .select(['grant.reads', 'grant.writes'])
        .select('client.name as client_name')
        .where('grant.user_id', '=', userId)
        .orderBy('grant.created_at', 'desc')
        .execute(),

    /** Pauses a grant of this person or resumes it, with effect on the next call; false when there is none. */
    updatePause: async (userId: string, id: string, pausedAt: Date | null): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('agent_grants')
        .set({ paused_at: pausedAt })
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Deletes a grant of this person; false when there is none. */
    delete: async (userId: string, id: string): Promise<boolean> => {
      const { numDeletedRows } = await db
        .deleteFrom('agent_grants')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },
  }
}

export type GrantsRepository = ReturnType<typeof grantsRepository>
export type LiveGrant = NonNullable<Awaited<ReturnType<GrantsRepository['findByAccessToken']>>>['grant']
