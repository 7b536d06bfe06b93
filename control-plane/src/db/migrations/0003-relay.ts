import { sql, type Kysely } from 'kysely'

const statements = [
  // One daemon for each organization that ever had a key.
  `create table daemons (id text primary key,
    org_id text not null unique references organization (id) on delete cascade,
    version text, last_seen_at timestamptz, instance_conflict_at timestamptz, created_at timestamptz not null)`,

  // Only hashes are stored. A key is valid until it expires (grace after a rotation) or is revoked. `instance_key` is
  // the public key of the only home that may use the key. It is stored when the key first connects.
  `create table daemon_keys (id bigint generated always as identity primary key,
    daemon_id text not null references daemons (id) on delete cascade, hash bytea not null unique check (length(hash) = 32),
    last_four text, generation integer, instance_key text, created_at timestamptz not null, last_used_at timestamptz,
    expires_at timestamptz, revoked_at timestamptz)`,
  `create index daemon_keys_daemon on daemon_keys (daemon_id, id desc)`,
  `create unique index daemon_keys_generation on daemon_keys (daemon_id, generation) where generation is not null`,

  // The origin that serves an organization's vaults. Raising the generation abandons a poisoned origin.
  `create table vault_origins (org_id text primary key references organization (id) on delete cascade,
    label text not null, generation integer not null default 1, unique (label, generation))`,

  // The private keys are sealed with a key that is not in the database.
  `create table signing_keys (kid text primary key, use text not null check (use in ('entry', 'request', 'service')),
    public_x text not null, sealed_private bytea not null, created_at timestamptz not null, retired_at timestamptz)`,
  `create unique index signing_keys_current on signing_keys (use) where retired_at is null`,

  `create table entry_sessions (id_hash bytea primary key check (length(id_hash) = 32), user_id text not null,
    session_id text not null, org_id text not null references organization (id) on delete cascade,
    daemon_id text not null, name text not null, role text not null, vaults text[] not null,
    created_at timestamptz not null, expires_at timestamptz not null, ended_at timestamptz)`,
  `create index entry_sessions_session on entry_sessions (session_id)`,
  `create index entry_sessions_expiry on entry_sessions (expires_at)`,
  `create table entry_assertions_used (jti text primary key, expires_at timestamptz not null)`,
  `create index entry_assertions_used_expiry on entry_assertions_used (expires_at)`,

  // What every replica must forget. Replicas read some older rows again, because a row can become visible after a row
  // with a higher number.
  `create table revocations (seq bigint generated always as identity primary key, at timestamptz not null,
    kind text not null, subject text not null)`,
  `create index revocations_at on revocations (at)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
