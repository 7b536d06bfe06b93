import { sql, type Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Null: the platform's default; 0: never.
  await sql`alter table managed_daemons add column idle_seconds integer check (idle_seconds >= 0)`.execute(db)
  // When to check next whether the daemon is idle.
  await sql`alter table managed_daemons add column idle_look_at timestamptz not null default now()`.execute(db)
  await sql`create index managed_daemons_idle_look on managed_daemons (idle_look_at) where state = 'active'`.execute(db)
}
