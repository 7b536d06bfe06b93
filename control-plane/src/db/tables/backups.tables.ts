import type { Generated } from 'kysely'

/** Which operation failed: taking a backup, or proving one. */
export type ProblemOf = 'backup' | 'drill'

/** The state of one organization's backups; the backups themselves are in the bucket. */
export type BackupStatesTable = {
  organization_id: string
  /** Null: the platform's default; 0: never. */
  every_seconds: number | null
  /** When the schedule looks at the row next. */
  due_at: Generated<Date>
  /** Failures of scheduled operations since the last success. */
  failures: Generated<number>
  last_backup_id: string | null
  last_taken_at: Date | null
  /** When the last backup was found to lack nothing, because nobody had used the daemon since; null: not yet. */
  last_current_at: Date | null
  last_files: number | null
  last_bytes: number | null
  /**
   * Activity counts of the daemon before the last backup and when it was put to sleep; equal when nothing happened
   * between. The latter is null until the present sleep is known to have begun unused.
   */
  last_activity: string | null
  slept_activity: string | null
  verified_backup_id: string | null
  verified_at: Date | null
  problem_code: string | null
  problem_reason: string | null
  problem_at: Date | null
  /** Null: a release before recorded the problem. */
  problem_of: ProblemOf | null
}

export type BackupsTables = { backup_states: BackupStatesTable }
