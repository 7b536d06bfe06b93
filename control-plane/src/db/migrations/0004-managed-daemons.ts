import { sql, type Kysely } from 'kysely'

const statements = [
  // One row for each hosted organization: the provisioning lease until the daemon is active, then its identity. It
  // outlives the organization while the resource is torn down, so it refers to none.
  `create table managed_daemons (organization_id text primary key, name text not null unique,
    state text not null check (state in ('provisioning', 'active', 'deleting')), resource_uid text,
    image text not null, operation_id text not null, leased_at timestamptz not null, activated_at timestamptz,
    attempts integer not null default 0, last_problem text)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
