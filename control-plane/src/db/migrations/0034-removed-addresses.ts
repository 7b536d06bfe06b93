import { sql, type Kysely } from 'kysely'

const statements = [
  // Addresses that an organization does not admit by domain any more though their accounts are deleted: keyed hashes,
  // which differ between organizations.
  `create table removed_addresses (organization_id text not null references organization (id) on delete cascade,
    address_hash text not null, removed_at timestamptz not null, primary key (organization_id, address_hash))`,
  `create index removed_addresses_age on removed_addresses (removed_at)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
