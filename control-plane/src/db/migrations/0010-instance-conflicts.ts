import { sql, type Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // The last conflict ever: `instance_conflict_at` is cleared when the rightful daemon connects.
  await sql`alter table daemons add column instance_conflict_seen_at timestamptz`.execute(db)
}
