import { sql, type Kysely } from 'kysely'

/** Limits set for one organization. A row is updated but never deleted, so that replicas see every change. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table organization_limits (
    organization_id text primary key references organization (id) on delete cascade,
    own jsonb not null,
    changed_at timestamptz not null)`.execute(db)
  await sql`create index organization_limits_changed on organization_limits (changed_at)`.execute(db)
}
