import type { Clock } from '@svc/shared/kit/clock.ts'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { publicEntryId, type EntrySession } from './entry-session.ts'

const bytes = (key: string) => Buffer.from(key, 'hex')

/** Entry sessions by the hash of their cookie, and the entry assertions already used. */
export function entrySessionsRepository(db: Db, clock: Pick<Clock, 'now'>) {
  // An entry lives as long as the sign-in it came from and the membership, in the role that it was given for.
  const live = () =>
    db
      .selectFrom('entry_sessions as entry')
      .innerJoin('session', 'session.id', 'entry.session_id')
      .innerJoin('member', (join) =>
        join
          .onRef('member.organizationId', '=', 'entry.org_id')
          .onRef('member.userId', '=', 'entry.user_id')
          .onRef('member.role', '=', 'entry.role'),
      )
      .where('entry.ended_at', 'is', null)
      .where('entry.expires_at', '>', clock.now())
      .where('session.expiresAt', '>', clock.now())

  return {
    /** Marks an assertion as used; false when it was before. One insert: no check-then-act. */
    consumeAssertion: async (jti: string, expiresAt: Date): Promise<boolean> => {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('entry_assertions_used')
        .values({ jti, expires_at: expiresAt })
        .onConflict((row) => row.doNothing())
        .executeTakeFirst()
      return numInsertedOrUpdatedRows === 1n
    },

    insert: ({ key, publicId: _derived, ...session }: EntrySession) =>
      db
        .insertInto('entry_sessions')
        .values({
          id_hash: bytes(key),
          user_id: session.userId,
          session_id: session.sessionId,
          org_id: session.orgId,
          daemon_id: session.daemonId,
          name: session.name,
          role: session.role,
          vaults: session.vaults,
          created_at: clock.now(),
          expires_at: session.expiresAt,
          ended_at: null,
        })
        .execute(),

    /** Adds a vault to a session of the same person, sign-in and daemon; false when there is none. */
    addVault: async (key: string, { vaults, userId, sessionId, daemonId, role }: EntrySession): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('entry_sessions')
        .set({ vaults: sql<string[]>`array(select distinct unnest(vaults || ${vaults}::text[]) order by 1)` })
        .where('id_hash', '=', bytes(key))
        .where('user_id', '=', userId)
        .where('session_id', '=', sessionId)
        .where('daemon_id', '=', daemonId)
        .where('role', '=', role)
        .where('ended_at', 'is', null)
        .where('expires_at', '>', clock.now())
        .executeTakeFirst()
      return numUpdatedRows === 1n
    },

    find: async (key: string): Promise<EntrySession | undefined> => {
      const row = await live().where('entry.id_hash', '=', bytes(key)).selectAll('entry').executeTakeFirst()
      return (
        row && {
          key,
          publicId: publicEntryId(key),
          userId: row.user_id,
          sessionId: row.session_id,
          orgId: row.org_id,
          daemonId: row.daemon_id,
          name: row.name,
          role: row.role,
          vaults: row.vaults,
          expiresAt: row.expires_at,
        }
      )
    },

    /** Those of the given sessions that live. */
    listLiveKeys: async (keys: string[]): Promise<Set<string>> => {
      const rows = await live()
        .where('entry.id_hash', '=', sql<Buffer>`any(${keys.map(bytes)})`)
        .select('entry.id_hash as hash')
        .execute()
      return new Set(rows.map(({ hash }) => hash.toString('hex')))
    },

    deleteExpired: async (): Promise<void> => {
      await db.deleteFrom('entry_assertions_used').where('expires_at', '<', clock.now()).execute()
      await db.deleteFrom('entry_sessions').where('expires_at', '<', clock.now()).execute()
    },
  }
}
