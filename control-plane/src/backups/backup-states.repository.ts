import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { BackupState } from '@svc/shared/wire/backups.api.ts'
import type { Db } from '../db/database.ts'
import type { ProblemOf } from '../db/tables/backups.tables.ts'
import type { Envelope } from './backup-catalog.ts'
import { toBackupState } from './backup-view.ts'

export type BackupStates = ReturnType<typeof backupStatesRepository>
/** A row that a worker has claimed: nobody else looks at it until then, unless its schedule changes. */
export type ClaimedBackup = { orgId: string; claimedUntil: Date }
export type DueBackup = ClaimedBackup & { dueAt: Date }
/** When to try again: after `firstSeconds`, then after twice as long each time, but at most after `capSeconds`. */
type Again = { firstSeconds: number; capSeconds: number }

/** The operator says when a daemon fell asleep, and the control plane when it saw that. */
const CLOCKS_DIFFER_MS = 60_000
/** A database that is restored later than this learns nothing of the sleep that it missed. */
const SEEN_WITHIN_MS = 5 * 60_000

/** The state of each organization's backups, and when each is due. A lost row only causes an early backup. */
export function backupStatesRepository(db: Db, clock: Clock, everySeconds: number) {
  const of = (orgId: string) => db.updateTable('backup_states').where('organization_id', '=', orgId)
  const ensure = (orgId: string) =>
    db
      .insertInto('backup_states')
      .values({ organization_id: orgId, due_at: clock.now() })
      .onConflict((row) => row.doNothing())
      .execute()

  /** A success ends the problems of its kind only: a drill proves nothing about new backups, nor a backup about drills. */
  const deleteProblem = (orgId: string, succeeded: ProblemOf) =>
    of(orgId)
      .where((row) => row.or([row('problem_of', '=', succeeded), row('problem_of', 'is', null)]))
      .set({ problem_code: null, problem_reason: null, problem_at: null, problem_of: null })
      .execute()

  /** Those of the organizations whose daemon was reinstalled, and neither restored nor backed up since. */
  const listAwaitingRestore = async (orgIds: string[]): Promise<Set<string>> => {
    const { rows } = await sql<{ org_id: string }>`
      select org_id from unnest(${orgIds}::text[]) as asked (org_id)
      where 'reinstall_started' = (
        select kind from lifecycle_events
        where lifecycle_events.org_id = asked.org_id and kind in ('reinstall_started', 'restored', 'backed_up')
        order by id desc limit 1
      )`.execute(db)
    return new Set(rows.map((row) => row.org_id))
  }

  return {
    find: async (orgId: string): Promise<BackupState> => {
      const row = await db
        .selectFrom('backup_states')
        .selectAll()
        .where('organization_id', '=', orgId)
        .executeTakeFirst()
      const awaiting = await listAwaitingRestore([orgId])
      return { ...toBackupState(row, everySeconds), awaitsRestore: awaiting.has(orgId) }
    },

    /** States of those organizations that have one, by their ids. */
    list: async (orgIds: string[]): Promise<Map<string, BackupState>> => {
      if (orgIds.length === 0) return new Map()
      const rows = await db.selectFrom('backup_states').selectAll().where('organization_id', 'in', orgIds).execute()
      const awaiting = await listAwaitingRestore(rows.map((row) => row.organization_id))
      return new Map(
        rows.map((row) => [
          row.organization_id,
          { ...toBackupState(row, everySeconds), awaitsRestore: awaiting.has(row.organization_id) },
        ]),
      )
    },

    /** When the daemon was reinstalled, as often as it was since its last restore. */
    listReinstalls: async (orgId: string): Promise<Date[]> => {
      const { rows } = await sql<{ at: Date }>`
        select at from lifecycle_events
        where org_id = ${orgId} and kind = 'reinstall_started' and id > coalesce((
            select max(id) from lifecycle_events where org_id = ${orgId} and kind = 'restored'), 0)
        order by id`.execute(db)
      return rows.map(({ at }) => at)
    },

    /**
     * The last backup, if nobody used the daemon between that backup and its present sleep. None after a reinstallation: the
     * backup is of the volume before. Nor when the database did not see the daemon fall asleep: one that was restored
     * from a dump remembers an earlier sleep.
     */
    findFresh: async (orgId: string, asleepSince: Date): Promise<string | undefined> => {
      if ((await listAwaitingRestore([orgId])).has(orgId)) return undefined
      const after = (ms: number) => new Date(asleepSince.getTime() + ms)
      const row = await db
        .selectFrom('backup_states')
        .select('last_backup_id')
        .where('organization_id', '=', orgId)
        .whereRef('last_activity', '=', 'slept_activity')
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('lifecycle_events')
              .select('id')
              .where('org_id', '=', orgId)
              .where('kind', '=', 'state_observed')
              .where('observed_state', '=', 'sleeping')
              .where('at', '>=', after(-CLOCKS_DIFFER_MS))
              .where('at', '<=', after(SEEN_WITHIN_MS)),
          ),
        )
        .executeTakeFirst()
      return row?.last_backup_id ?? undefined
    },

    /** Records that the last backup holds everything until now. Whatever kept a newer one from being taken is over. */
    updateCurrent: async (orgId: string, backupId: string): Promise<void> => {
      const current = { last_current_at: clock.now(), failures: 0 }
      await of(orgId).where('last_backup_id', '=', backupId).set(current).execute()
      await deleteProblem(orgId, 'backup')
    },

    /** Only of the present sleep: `deleteSlept` comes before each. What the daemon itself said last stays. */
    updateSlept: async (orgId: string, activity: string): Promise<void> => {
      await of(orgId).where('slept_activity', 'is', null).set({ slept_activity: activity }).execute()
    },

    /** What a daemon that stops says last. It may do that before `updateSlept`. */
    updateStopped: async (orgId: string, activity: string): Promise<void> => {
      await of(orgId).set({ slept_activity: activity }).execute()
    },

    /** Before a daemon is put to sleep: nothing is known of its use until then. */
    deleteSlept: async (orgId: string): Promise<void> => {
      await of(orgId).set({ slept_activity: null }).execute()
    },

    /** `activity`: the use of the daemon that the backup holds for sure; null when nobody knows. */
    updateTaken: async (orgId: string, { backupId, summary }: Envelope, activity: string | null) => {
      await ensure(orgId)
      await of(orgId)
        .set({
          last_backup_id: backupId,
          last_taken_at: new Date(summary.takenAt),
          last_files: summary.files,
          last_bytes: summary.bytes,
          failures: 0,
          last_activity: activity,
        })
        .execute()
      await deleteProblem(orgId, 'backup')
    },

    updateVerified: async (orgId: string, backupId: string, verifiedAt: Date): Promise<void> => {
      await ensure(orgId)
      await of(orgId).set({ verified_backup_id: backupId, verified_at: verifiedAt, failures: 0 }).execute()
      await deleteProblem(orgId, 'drill')
    },

    updateProblem: async (
      orgId: string,
      { of: failed, code, reason }: { of: ProblemOf; code: string; reason?: string | undefined },
    ): Promise<void> => {
      await ensure(orgId)
      await of(orgId)
        .set({ problem_code: code, problem_reason: reason ?? null, problem_at: clock.now(), problem_of: failed })
        .execute()
    },

    /** Sets the schedule of an organization. A backup follows now if the last one is older than that. */
    updateSchedule: async (orgId: string, seconds: number | null): Promise<void> => {
      await ensure(orgId)
      await of(orgId).set({ every_seconds: seconds, due_at: clock.now() }).execute()
    },

    /**
     * Sets when a claimed row is due next; the claim lasts until then. Undefined when the claim is over, because another
     * schedule was chosen or another worker has the row: then it stays due as it is.
     */
    updateClaimed: async (
      { orgId, claimedUntil }: ClaimedBackup,
      inSeconds: number,
    ): Promise<ClaimedBackup | undefined> => {
      const until = new Date(clock.now().getTime() + inSeconds * 1000)
      const { numUpdatedRows } = await of(orgId)
        .where('due_at', '=', claimedUntil)
        .set({ due_at: until })
        .executeTakeFirst()
      return numUpdatedRows === 1n ? { orgId, claimedUntil: until } : undefined
    },

    /** Counts a failure, and sets when to try again, unless the claim is over. */
    updateFailed: async (
      { orgId, claimedUntil }: ClaimedBackup,
      { firstSeconds, capSeconds }: Again,
    ): Promise<void> => {
      await sql`
        update backup_states set failures = failures + 1,
          due_at = ${clock.now()}::timestamptz
            + least(${capSeconds}::float8, ${firstSeconds}::float8 * 2 ^ least(failures, 30)) * interval '1 second'
        where organization_id = ${orgId} and due_at = ${claimedUntil}::timestamptz`.execute(db)
    },

    /** Gives every hosted daemon a row, so that new daemons are backed up. */
    insertMissing: async (): Promise<void> => {
      await sql`
        insert into backup_states (organization_id, due_at)
        select organization_id, ${clock.now()}::timestamptz from managed_daemons where state = 'active'
        on conflict do nothing`.execute(db)
    },

    /**
     * Claims the organization whose backup has been due longest; undefined when none is due. It becomes due again after
     * `againSeconds`, so that a killed worker loses nothing.
     */
    claimDue: async (againSeconds: number): Promise<DueBackup | undefined> => {
      const now = clock.now()
      const claimedUntil = new Date(now.getTime() + againSeconds * 1000)
      const { rows } = await sql<{ organization_id: string; was_due: Date }>`
        with due as (
          select backup_states.organization_id, due_at from backup_states
            join managed_daemons using (organization_id)
          where due_at <= ${now}::timestamptz and managed_daemons.state = 'active'
          order by due_at limit 1 for update of backup_states skip locked
        )
        update backup_states set due_at = ${claimedUntil}::timestamptz
        from due where due.organization_id = backup_states.organization_id
        returning backup_states.organization_id, due.due_at as was_due`.execute(db)
      const [row] = rows
      return row && { orgId: row.organization_id, dueAt: row.was_due, claimedUntil }
    },

    /**
     * Over the organizations with backups: ages of the oldest last backup and the oldest proof, and the number of
     * failures. A daemon without a proof counts as unproved since it exists. A backup is as old as the changes that it
     * may lack: it does not age while nobody uses the daemon, and neither does its proof, which no drill repeats.
     */
    measure: async () => {
      const { rows } = await sql<{ failing: number; unbacked: number; oldest: number; unproved: number }>`
        select count(*) filter (where problem_code is not null) as failing,
          count(*) filter (where last_taken_at is null) as unbacked,
          coalesce(max(extract(epoch from ${clock.now()}::timestamptz - greatest(last_taken_at, last_current_at)))::float8, 0) as oldest,
          coalesce(max(extract(epoch from ${clock.now()}::timestamptz - coalesce(
            case when verified_backup_id = last_backup_id then greatest(verified_at, last_current_at) else verified_at end,
            activated_at)))::float8, 0) as unproved
        from backup_states join managed_daemons using (organization_id)
        where managed_daemons.state = 'active' and coalesce(every_seconds, ${everySeconds}) > 0`.execute(db)
      return rows[0] ?? { failing: 0, unbacked: 0, oldest: 0, unproved: 0 }
    },
  }
}
