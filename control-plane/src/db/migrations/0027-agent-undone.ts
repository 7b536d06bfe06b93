import { sql, type Kysely } from 'kysely'

/** How many changes of each agent were undone in an organization, as its daemon last reported. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table agent_undone (
    org_id text primary key references organization (id) on delete cascade,
    agents jsonb not null,
    reported_at timestamptz not null)`.execute(db)
}
