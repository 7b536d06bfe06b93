import type { Clock } from '@svc/shared/kit/clock.ts'
import { sql } from 'kysely'
import { auditRecordText } from '../audit/canonical-json.ts'
import type { Db } from '../db/database.ts'

/** A refused daemon redials about once a minute; a conflict after this pause counts as a new one. */
const CONFLICT_EPISODE_MS = 30 * 60_000

/** A key that may open a tunnel now. */
export type LiveKey = {
  keyId: number
  daemonId: string
  orgId: string
  hash: Buffer
  generation: number | null
  instanceKey: string | null
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
      const rows = await live()
        .where('daemon_keys.hash', '=', sql<Buffer>`any(${hashes})`)
        .select([
          'daemon_keys.id as keyId',
          'daemons.id as daemonId',
          'daemons.org_id as orgId',
          'daemon_keys.hash as hash',
          'daemon_keys.generation as generation',
          'daemon_keys.instance_key as instanceKey',
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

    /**
     * Binds a live key to the home that presented it first, and records that its daemon connected; false when the key
     * has ended or belongs to another home. A key whose predecessor belonged to another home takes over from it, which
     * is audited. The older keys of the daemon expire, and every replica is notified. One statement, because many
     * daemons connect at the same time. It locks the daemon before its keys, as a rotation does.
     */
    updateConnected: async ({ keyId, orgId, daemonId }: PinnedKey, home: Home): Promise<boolean> => {
      const now = clock.now()
      const takenOver = relayRecord(now, { event: 'daemon.taken_over', orgId, subject: daemonId })
      const { rows } = await sql`
        with daemon as (
          select id from daemons where id = ${daemonId} for update
        ), found as (
          select key.id, key.daemon_id, key.instance_key from daemon_keys key join daemon on daemon.id = key.daemon_id
          where key.id = ${keyId} and revoked_at is null and (expires_at is null or expires_at > ${now})
            and (instance_key is null or instance_key = ${home.instanceKey})
          for update of key
        ), pinned as (
          update daemon_keys set instance_key = ${home.instanceKey}, last_used_at = ${now}
          from found where daemon_keys.id = found.id returning found.id
        ), predecessor as (
          select earlier.instance_key from daemon_keys earlier join found on found.daemon_id = earlier.daemon_id
          where earlier.id < found.id and earlier.instance_key is not null order by earlier.id desc limit 1
        ), audited as (
          insert into audit_entries (chain, record) select ${orgId}, ${takenOver} from found, predecessor
          where found.instance_key is null and predecessor.instance_key <> ${home.instanceKey}
        ), connected as (
          update daemons set version = ${home.version}, last_seen_at = ${now}, instance_conflict_at = null
          from found where daemons.id = found.daemon_id
        ), expired as (
          update daemon_keys set expires_at = ${now} from found
          where daemon_keys.daemon_id = found.daemon_id and daemon_keys.id < found.id and revoked_at is null
            and (expires_at is null or expires_at > ${now}) returning daemon_keys.id
        ), announced as (
          insert into revocations (at, kind, subject) select ${now}, 'daemon_keys', ${orgId} from expired limit 1
        )
        select id from pinned`.execute(db)
      return rows.length === 1
    },

    updateSeen: (daemonId: string) =>
      db.updateTable('daemons').set({ last_seen_at: clock.now() }).where('id', '=', daemonId).execute(),

    /** Records an instance conflict, and audits it unless the last one is less than half an hour old. */
    updateConflict: async ({ daemonId, orgId }: { daemonId: string; orgId: string }): Promise<void> => {
      const now = clock.now()
      const text = relayRecord(now, { event: 'daemon.instance_conflict', orgId, subject: daemonId })
      await sql`
        with before as (
          select id, org_id, instance_conflict_seen_at as seen_at from daemons where id = ${daemonId} for update
        ), marked as (
          update daemons set instance_conflict_at = ${now}, instance_conflict_seen_at = ${now}
          from before where daemons.id = before.id
        )
        insert into audit_entries (chain, record) select org_id, ${text} from before
        where seen_at is null or seen_at < ${new Date(now.getTime() - CONFLICT_EPISODE_MS)}`.execute(db)
    },
  }
}

/** A daemon's home: its instance key and its version. */
type Home = { instanceKey: string; version: string }
type PinnedKey = { keyId: number; orgId: string; daemonId: string }

const relayRecord = (at: Date, record: { event: string; orgId: string; subject: string }): string =>
  auditRecordText({ at: at.toISOString(), actor: { kind: 'system', id: 'relay' }, ...record })
