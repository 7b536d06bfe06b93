import type { Clock } from '@svc/shared/kit/clock.ts'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** A key that may open a tunnel now. */
export type LiveKey = {
  keyId: number
  daemonId: string
  orgId: string
  hash: Buffer
  generation: number | null
  instanceKey: string | null
  /** The version that the daemon had when it last connected. */
  version: string | null
  /** True when the daemon has no older live key and no other home has shown one of its keys since. */
  isUndisputed: boolean
}

/** Daemons and their keys. `db` may be a transaction. */
export function daemonKeysRepository(db: Db, clock: Pick<Clock, 'now'>) {
  const live = () =>
    db
      .selectFrom('daemon_keys')
      .innerJoin('daemons', 'daemons.id', 'daemon_keys.daemon_id')
      .where('daemon_keys.revoked_at', 'is', null)
      .where((where) =>
        where.or([where('daemon_keys.expires_at', 'is', null), where('daemon_keys.expires_at', '>', clock.now())]),
      )

  return {
    /**
     * The daemon of an organization, created with this id when it has none. Locks its row until the transaction ends.
     */
    insertOrFindDaemon: async (orgId: string, newDaemonId: string): Promise<string> => {
      const { id } = await db
        .insertInto('daemons')
        .values({ id: newDaemonId, org_id: orgId, created_at: clock.now() })
        .onConflict((row) => row.column('org_id').doUpdateSet({ org_id: orgId }))
        .returning('id')
        .executeTakeFirstOrThrow()
      return id
    },

    findDaemon: (orgId: string) => db.selectFrom('daemons').selectAll().where('org_id', '=', orgId).executeTakeFirst(),

    insertKey: (key: { daemonId: string; hash: Buffer; lastFour: string | null; generation: number | null }) =>
      db
        .insertInto('daemon_keys')
        .values({
          daemon_id: key.daemonId,
          hash: key.hash,
          last_four: key.lastFour,
          generation: key.generation,
          created_at: clock.now(),
        })
        .onConflict((row) => row.column('hash').doNothing())
        .returning('id')
        .executeTakeFirst(),

    /**
     * Lets every live key of a daemon except one expire at `at`, unless it expires sooner. Returns the latest expiry.
     */
    expireOthers: async ({ daemonId, keepId, at }: { daemonId: string; keepId: number; at: Date }) => {
      const expired = await db
        .updateTable('daemon_keys')
        .set({ expires_at: sql<Date>`least(expires_at, ${at}::timestamptz)` })
        .where('daemon_id', '=', daemonId)
        .where('id', '!=', keepId)
        .where('revoked_at', 'is', null)
        .returning('expires_at')
        .execute()
      const ends = expired
        .map(({ expires_at }) => expires_at?.getTime() ?? 0)
        .filter((end) => end > clock.now().getTime())
      return ends.length === 0 ? undefined : new Date(Math.max(...ends))
    },

    /** Revokes every live key of a daemon, except one if given. Returns their number. */
    revokeOthers: async (daemonId: string, keepId: number | undefined): Promise<number> => {
      const { numUpdatedRows } = await db
        .updateTable('daemon_keys')
        .set({ revoked_at: clock.now() })
        .where('daemon_id', '=', daemonId)
        .where('id', '!=', keepId ?? -1)
        .where('revoked_at', 'is', null)
        .executeTakeFirst()
      return Number(numUpdatedRows)
    },

    /** The newest live key of an organization. */
    findCurrentKey: (orgId: string) =>
      live()
        .where('daemons.org_id', '=', orgId)
        .select([
          'daemon_keys.id as id',
          'daemons.id as daemonId',
          'daemon_keys.last_four as lastFour',
          'daemon_keys.created_at as createdAt',
          'daemon_keys.last_used_at as lastUsedAt',
        ])
        .orderBy('daemon_keys.id', 'desc')
        .executeTakeFirst(),

    /** The live keys with these hashes, by hash in hexadecimal digits. */
    listLiveKeys: async (hashes: Buffer[]): Promise<Map<string, LiveKey>> => {
      const isUndisputed = sql<boolean>`daemons.instance_conflict_at is null and not exists (
        select from daemon_keys earlier where earlier.daemon_id = daemons.id and earlier.id < daemon_keys.id
          and earlier.revoked_at is null and (earlier.expires_at is null or earlier.expires_at > ${clock.now()}))`
      const rows = await live()
        .where('daemon_keys.hash', '=', sql<Buffer>`any(${hashes})`)
        .select([
          'daemon_keys.id as keyId',
          'daemons.id as daemonId',
          'daemons.org_id as orgId',
          'daemon_keys.hash as hash',
          'daemon_keys.generation as generation',
          'daemon_keys.instance_key as instanceKey',
          'daemons.version as version',
          isUndisputed.as('isUndisputed'),
        ])
        .execute()
      return new Map(rows.map((row) => [row.hash.toString('hex'), row]))
    },

    /** The state of keys; deleted ones count as revoked. */
    listStates: async (keyIds: number[]): Promise<Map<number, 'live' | 'expired' | 'revoked'>> => {
      const rows =
        keyIds.length === 0
          ? []
          : await db
              .selectFrom('daemon_keys')
              .select(['id', 'expires_at', 'revoked_at'])
              .where('id', 'in', keyIds)
              .execute()
      const now = clock.now()
      const states = new Map<number, 'live' | 'expired' | 'revoked'>(keyIds.map((id) => [id, 'revoked']))
      for (const { id, expires_at, revoked_at } of rows)
        if (revoked_at === null) states.set(id, expires_at !== null && expires_at <= now ? 'expired' : 'live')
      return states
    },

    /** Generation of the newest key that a hosted daemon ever had; undefined if there is none. */
    findGenerationOf: async (orgId: string): Promise<number | undefined> => {
      const row = await db
        .selectFrom('daemon_keys')
        .innerJoin('daemons', 'daemons.id', 'daemon_keys.daemon_id')
        .where('daemons.org_id', '=', orgId)
        .select((eb) => eb.fn.max('generation').as('generation'))
        .executeTakeFirst()
      return row?.generation ?? undefined
    },

    findNewestGeneration: async (keyIds: number[]): Promise<number | undefined> => {
      if (keyIds.length === 0) return undefined
      const row = await db
        .selectFrom('daemon_keys')
        .select((eb) => eb.fn.max('generation').as('generation'))
        .where('id', 'in', keyIds)
        .executeTakeFirst()
      return row?.generation ?? undefined
    },
  }
}
