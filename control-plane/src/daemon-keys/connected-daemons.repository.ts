import type { Clock } from '@svc/shared/kit/clock.ts'
import { sql } from 'kysely'
import { auditRecordText } from '../audit/canonical-json.ts'
import type { Db } from '../db/database.ts'

/** A refused daemon redials about once a minute; a conflict after this pause counts as a new one. */
const CONFLICT_EPISODE_MS = 30 * 60_000

/** A daemon's home: its instance key and its version. */
export type Home = { instanceKey: string; version: string }
/** When a daemon was connected, and the key that it used if it has just connected. */
export type SeenDaemon = { daemonId: string; keyId?: number | undefined; at: Date }
type PinnedKey = { keyId: number; orgId: string; daemonId: string }

/** What the relay records of daemons that connect. */
export function connectedDaemonsRepository(db: Db, clock: Pick<Clock, 'now'>) {
  return {
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

    /**
     * Records when daemons were last connected and when keys were last used. Locks each daemon before its key, in the
     * order of their ids: replicas that record the same daemons wait for each other instead of failing.
     */
    updateSeen: async (seen: SeenDaemon[]): Promise<void> => {
      await sql`
        with seen as (
          select * from unnest(
            ${seen.map(({ daemonId }) => daemonId)}::text[], ${seen.map(({ keyId }) => keyId ?? null)}::bigint[],
            ${seen.map(({ at }) => at)}::timestamptz[]) as seen(daemon_id, key_id, at)
        ), daemon as (
          select daemons.id, seen.key_id, seen.at from daemons join seen on seen.daemon_id = daemons.id
          order by daemons.id for update of daemons
        ), recorded as (
          update daemons set last_seen_at = greatest(last_seen_at, daemon.at) from daemon where daemons.id = daemon.id
        )
        update daemon_keys set last_used_at = greatest(last_used_at, daemon.at) from daemon
        where daemon_keys.id = daemon.key_id and daemon_keys.daemon_id = daemon.id`.execute(db)
    },

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

const relayRecord = (at: Date, record: { event: string; orgId: string; subject: string }): string =>
  auditRecordText({ at: at.toISOString(), actor: { kind: 'system', id: 'relay' }, ...record })
