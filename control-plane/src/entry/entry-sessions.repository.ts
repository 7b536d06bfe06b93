import type { Clock } from '@svc/shared/kit/clock.ts'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { publicEntryId, type EntrySession } from './entry-secret.ts'
import { bytesOfVaults } from './mint-assertion.ts'

const bytes = (key: string) => Buffer.from(key, 'hex')

/** Entry sessions by the hash of their cookie, and the used entry assertions. */
export function entrySessionsRepository(db: Db, clock: Pick<Clock, 'now'>) {
  // An entry is valid as long as its sign-in, and as long as the person is a member in the role for which it was
  // granted.
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
    /** Marks an assertion as used; false when it already was. One insert, no check-then-act. */
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

    /**
     * Locks the sign-in session and reads the membership, so that entries of one sign-in run one after another; false
     * when either is gone or the role differs.
     */
    lockSignIn: async ({ sessionId, userId, orgId, role }: EntrySession): Promise<boolean> => {
      const row = await db
        .selectFrom('session')
        .innerJoin('member', 'member.userId', 'session.userId')
        .where('session.id', '=', sessionId)
        .where('session.userId', '=', userId)
        .where('session.expiresAt', '>', clock.now())
        .where('member.organizationId', '=', orgId)
        .where('member.role', '=', role)
        .select('session.id')
        .forUpdate('session')
        .executeTakeFirst()
      return row !== undefined
    },

    /**
     * Adds vaults to the live sessions of the same sign-in, daemon and role, as the newest; the oldest beyond `most`
     * drop out: those beyond its count, or beyond its bytes in an assertion. Returns the sessions, newest first.
     */
    addVaults: async (
      { vaults, ...session }: EntrySession,
      most: { count: number; bytes: number },
    ): Promise<{ key: string; vaults: string[] }[]> => {
      const kept = sql`
        select sized.vault, sized.place from (
          select held.vault, held.place,
            sum(octet_length(to_json(held.vault)::text) + 1) over (order by held.place desc) as bytes
          from unnest(vaults) with ordinality as held (vault, place)
          where held.vault <> all(${vaults}::text[])
        ) as sized
        where sized.bytes <= ${most.bytes - bytesOfVaults(vaults)}
        order by sized.place desc limit ${most.count - vaults.length}`
      const rows = await db
        .updateTable('entry_sessions')
        .set({
          vaults: sql<string[]>`array(select vault from (${kept}) as kept order by place) || ${vaults}::text[]`,
        })
        .where('user_id', '=', session.userId)
        .where('session_id', '=', session.sessionId)
        .where('org_id', '=', session.orgId)
        .where('daemon_id', '=', session.daemonId)
        .where('role', '=', session.role)
        .where('ended_at', 'is', null)
        .where('expires_at', '>', clock.now())
        .returning(['id_hash', 'vaults', 'created_at'])
        .execute()
      return rows
        .toSorted((one, other) => other.created_at.getTime() - one.created_at.getTime())
        .map((row) => ({ key: row.id_hash.toString('hex'), vaults: row.vaults }))
    },

    /** All sessions of the sign-in and organization that `key` belongs to, including `key`. */
    listOfSameSignIn: async (key: string): Promise<string[]> => {
      const rows = await db
        .selectFrom('entry_sessions as own')
        .innerJoin('entry_sessions as other', (join) =>
          join.onRef('other.session_id', '=', 'own.session_id').onRef('other.org_id', '=', 'own.org_id'),
        )
        .where('own.id_hash', '=', bytes(key))
        .where('other.ended_at', 'is', null)
        .select('other.id_hash as hash')
        .execute()
      return rows.map(({ hash }) => hash.toString('hex'))
    },

    /** The valid sessions with these keys, by key. */
    listLive: async (keys: string[]): Promise<Map<string, EntrySession>> => {
      const rows = await live()
        .where('entry.id_hash', '=', sql<Buffer>`any(${keys.map(bytes)})`)
        .select(['id_hash', 'entry.user_id', 'entry.session_id', 'entry.org_id', 'daemon_id', 'entry.name'])
        .select(['entry.role', 'vaults', 'entry.expires_at'])
        .execute()
      return new Map(
        rows.map((row) => {
          const key = row.id_hash.toString('hex')
          const session = {
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
          return [key, session]
        }),
      )
    },

    /** The keys of these sessions that are still valid. */
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
