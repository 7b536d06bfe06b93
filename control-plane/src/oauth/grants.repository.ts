import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { Db } from '../db/database.ts'
import type { GrantedVault } from '../db/tables/agents.tables.ts'

const GRANT_MS = 90 * 86_400_000

type Decision = { userId: string; clientId: string; key: string; canWrite: boolean; vaults: GrantedVault[] }

/** What people allowed clients. A trigger deletes the tokens of a deleted grant. */
export function grantsRepository(db: Db, clock: Clock) {
  const until = () => new Date(clock.now().getTime() + GRANT_MS)
  const live = () =>
    db
      .selectFrom('agent_grants as grant')
      .innerJoin('oauthClient as client', 'client.clientId', 'grant.client_id')
      .where('grant.expires_at', '>', clock.now())

  return {
    /**
     * Stores a person's decision. If the client's codes went to another address before, its tokens are deleted: tokens
     * that one address received must not gain what another one was approved for. Throws `not_found` if the person is no
     * longer a member of one of the organizations.
     */
    upsert: ({ userId, clientId, key, canWrite, vaults }: Decision): Promise<void> =>
      db.transaction().execute(async (trx) => {
        await refuseUnlessMember(trx, userId, [...new Set(vaults.map(({ orgId }) => orgId))])
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

    /** True while a refresh token has been replaced and the response that replaces it is not stored yet. */
    isRotationPending: async (tokenHash: string): Promise<boolean> => {
      const { rows } = await sql`
        select from "oauthRefreshToken" where token = ${tokenHash} and "rotatedAt" is not null
          and "rotationReplayResponse" is null and "rotationReplayExpiresAt" > ${clock.now()}`.execute(db)
      return rows.length > 0
    },

    /**
     * Makes a refresh token usable again whose replacement never ended, as when the database was lost in the middle:
     * the program has no other one. Does nothing once the response is stored, or the time to repeat it is over.
     */
    undoRotation: async (tokenHash: string, { olderThanMs }: { olderThanMs: number }): Promise<void> => {
      const now = clock.now()
      await sql`
        update "oauthRefreshToken" set revoked = null, "rotatedAt" = null, "rotationReplayExpiresAt" = null
          where token = ${tokenHash} and "rotatedAt" <= ${new Date(now.getTime() - olderThanMs)}
            and "rotationReplayResponse" is null and "rotationReplayExpiresAt" > ${now}`.execute(db)
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

/** A removal at the same time waits for this transaction, and then takes its organization out of the grant. */
async function refuseUnlessMember(trx: Db, userId: string, orgIds: string[]): Promise<void> {
  if (orgIds.length === 0) return
  const memberships = await trx
    .selectFrom('member')
    .select('organizationId')
    .where('userId', '=', userId)
    .where('organizationId', 'in', orgIds)
    .orderBy('id')
    .forKeyShare()
    .execute()
  const own = new Set(memberships.map(({ organizationId }) => organizationId))
  if (!orgIds.every((orgId) => own.has(orgId))) throw fail('not_found')
}

export type GrantsRepository = ReturnType<typeof grantsRepository>
