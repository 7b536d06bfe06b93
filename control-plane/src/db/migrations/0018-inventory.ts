import { sql, type Kysely } from 'kysely'

/** The list of managed daemons for system admins: a copy of each resource as last seen. The store is authoritative. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table inventory_daemons (
    org_id text primary key, org_slug text not null, name text not null unique, uid text not null,
    resource_version bigint not null,
    desired_state text not null, observed_state text not null, image text not null, version text,
    standing text not null check (standing in ('attention', 'changing', 'running', 'asleep')),
    attention text, attention_reason text, attention_since timestamptz,
    used_bytes bigint, capacity_bytes bigint,
    view jsonb not null)`.execute(db)
  await sql`create index lifecycle_events_observed on lifecycle_events (at) where kind = 'state_observed'`.execute(db)
  await sql`create index operations_finished on operations (finished_at) where finished_at is not null`.execute(db)
  await sql`create index operations_requested on operations (requested_at desc, operation_id desc)`.execute(db)
}
