import { sql, type Kysely } from 'kysely'

type Watched = {
  table: string
  topic: string
  /** Columns that identify a row, for updates. */
  key: string
  /** SQL over the row `r`: the organization and the person that the change is about. */
  org: string
  person?: string
  /** Columns whose update counts as a change; absent: only inserts and deletes count. */
  columns?: string[]
}

// What pages show. Columns that change with every use, such as the time when a key was last seen, are left out.
const watched: Watched[] = [
  { table: 'organization', topic: 'organization', key: 'id', org: 'r.id', columns: ['name', 'slug', 'logo'] },
  { table: 'organization_deletions', topic: 'organization', key: 'organization_id', org: 'r.organization_id' },
  { table: 'auto_admit_domains', topic: 'organization', key: 'domain', org: 'r.organization_id' },
  {
    table: 'member',
    topic: 'members',
    key: 'id',
    org: 'r."organizationId"',
    person: 'r."userId"',
    columns: ['role'],
  },
  {
    table: 'invitation',
    topic: 'invitations',
    key: 'id',
    org: 'r."organizationId"',
    columns: ['status', 'role', '"expiresAt"'],
  },
  {
    table: 'daemon_keys',
    topic: 'keys',
    key: 'id',
    org: '(select d.org_id from daemons d where d.id = r.daemon_id)',
    columns: ['expires_at', 'revoked_at'],
  },
  { table: 'daemons', topic: 'daemon', key: 'id', org: 'r.org_id', columns: ['version', 'instance_conflict_at'] },
  { table: 'inventory_daemons', topic: 'daemon', key: 'org_id', org: 'r.org_id', columns: ['view', 'standing'] },
  {
    table: 'managed_daemons',
    topic: 'daemon',
    key: 'organization_id',
    org: 'r.organization_id',
    columns: ['state', 'image', 'idle_seconds', 'last_problem'],
  },
  { table: 'entitlements', topic: 'daemon', key: 'org_id', org: 'r.org_id', columns: ['kind', 'lease_installed_at'] },
  { table: 'vault_origins', topic: 'organization', key: 'org_id', org: 'r.org_id', columns: ['generation'] },
  { table: 'operations', topic: 'operations', key: 'operation_id', org: 'r.org_id', columns: ['state', 'attempts'] },
  { table: 'operation_claims', topic: 'operations', key: 'org_id', org: 'r.org_id', columns: ['operation_id'] },
  {
    table: 'backup_states',
    topic: 'backups',
    key: 'organization_id',
    org: 'r.organization_id',
    columns: ['every_seconds', 'last_backup_id', 'verified_at', 'problem_code'],
  },
  {
    table: 'rollouts',
    topic: 'rollouts',
    key: 'rollout_id',
    org: 'null',
    columns: ['state', 'current_wave', 'soak_until', 'failures_borne'],
  },
  { table: 'rollout_members', topic: 'rollouts', key: 'operation_id', org: 'null', columns: ['state'] },
  {
    table: 'agent_integrations',
    topic: 'integrations',
    key: 'id',
    org: 'r.org_id',
    columns: ['state', 'can_write', 'expires_at', 'requested_by'],
  },
  { table: 'agent_grants', topic: 'account', key: 'id', org: 'null', person: 'r.user_id' },
  {
    table: 'user',
    topic: 'account',
    key: 'id',
    org: 'null',
    person: 'r.id',
    columns: ['name', 'email', 'image', '"emailVerified"', '"twoFactorEnabled"'],
  },
  { table: 'session', topic: 'account', key: 'id', org: 'null', person: 'r."userId"' },
  { table: 'passkey', topic: 'account', key: 'id', org: 'null', person: 'r."userId"', columns: ['name'] },
  {
    table: 'preferences',
    topic: 'account',
    key: 'user_id',
    org: 'null',
    person: 'r.user_id',
    columns: ['theme'],
  },
]

/** The functions and triggers of one table. A statement over many rows records each organization and person once. */
function statementsOf({ table, topic, key, org, person = 'null', columns }: Watched): string[] {
  const name = `note_changed_${table}`
  const note = (rows: string) => `insert into state_changes (topic, org_id, user_id)
      select distinct '${topic}', ${org}::text, ${person}::text from ${rows}`
  const define = (suffix: string, rows: string) =>
    `create function ${name}${suffix}() returns trigger language plpgsql as $$
      begin ${note(rows)}; return null; end $$`
  const on = (event: string, suffix: string, tables: string) =>
    `create trigger ${name}_${event} after ${event} on "${table}" referencing ${tables}
      for each statement execute function ${name}${suffix}()`
  const all = [
    define('', 'changed r'),
    on('insert', '', 'new table as changed'),
    on('delete', '', 'old table as changed'),
  ]
  if (columns === undefined) return all
  const differs = columns.map((column) => `r.${column} is distinct from b.${column}`).join(' or ')
  return [
    ...all,
    define('_update', `changed r join before b on b.${key} = r.${key} where ${differs}`),
    on('update', '_update', 'old table as before new table as changed'),
  ]
}

/**
 * Records each change that a page may show, for browsers that listen. A row is read within seconds and never needed
 * again, so the table is unlogged. A crash empties it, and listeners then read everything again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create unlogged table state_changes (
    xid xid8 not null default pg_current_xact_id(),
    at timestamptz not null default now(),
    topic text not null, org_id text, user_id text)`.execute(db)
  await sql`create index state_changes_xid on state_changes (xid)`.execute(db)
  await sql`create index state_changes_at on state_changes (at)`.execute(db)
  for (const statement of watched.flatMap(statementsOf)) await sql.raw(statement).execute(db)
}
