import { sql, type Kysely } from 'kysely'

/** How often in a row the backups of an organization failed: each further attempt waits longer. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table backup_states add column failures integer not null default 0`.execute(db)
}
