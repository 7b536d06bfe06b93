import { sql, type Kysely } from 'kysely'

/**
 * How often in a row the backups of an organization failed: each further attempt waits longer. When a worker began to
 * delete the backups of a deleted organization, whether there were any, and when they were gone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table backup_states add column failures integer not null default 0`.execute(db)
  await sql`
    alter table organization_tombstones
      add column backups_claimed_at timestamptz,
      add column backups_found boolean not null default false,
      add column backups_deleted_at timestamptz`.execute(db)
}
