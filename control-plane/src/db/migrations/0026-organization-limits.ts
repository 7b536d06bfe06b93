import { sql, type Kysely } from 'kysely'

/** Limits that an organization has of its own. A row is changed and never deleted, so that replicas see every change. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table organization_limits (
    organization_id text primary key references organization (id) on delete cascade,
    own jsonb not null,
    changed_at timestamptz not null)`.execute(db)
  await sql`create index organization_limits_changed on organization_limits (changed_at)`.execute(db)
}
