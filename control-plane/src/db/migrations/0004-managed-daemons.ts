import { sql, type Kysely } from 'kysely'

const statements = [
  // One row for each hosted organization: the provisioning lease until the daemon is active, then its identity. The row
  // outlives the organization while the resource is torn down, so there is no foreign key.
  `create table managed_daemons (organization_id text primary key, name text not null unique,
    state text not null check (state in ('provisioning', 'active', 'deleting')), resource_uid text,
    image text not null, operation_id text not null, operation_action text not null, operation_epoch bigint not null,
    leased_at timestamptz not null, activated_at timestamptz, last_problem text)`,
  `create index managed_daemons_unfinished on managed_daemons (state) where state <> 'active'`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
