import { sql, type Kysely } from 'kysely'

/** The backup of a daemon that nobody uses does not grow old: records until when it is known to hold everything. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table backup_states add column last_current_at timestamptz`.execute(db)
}
