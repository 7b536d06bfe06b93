import { sql, type Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // The time of the last conflict. It stays when the rightful daemon connects, which clears `instance_conflict_at`.
  await sql`alter table daemons add column instance_conflict_seen_at timestamptz`.execute(db)
}
