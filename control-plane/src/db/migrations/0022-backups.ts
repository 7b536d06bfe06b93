import { sql, type Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table backup_states (
      organization_id text primary key references organization (id) on delete cascade,
      every_seconds integer check (every_seconds >= 0),
      due_at timestamptz not null default now(),
      last_backup_id text,
      last_taken_at timestamptz,
      last_files bigint,
      last_bytes bigint,
      last_activity text,
      slept_activity text,
      verified_backup_id text,
      verified_at timestamptz,
      problem_code text,
      problem_reason text,
      problem_at timestamptz
    )`.execute(db)
  await sql`create index backup_states_due on backup_states (due_at)`.execute(db)
}
