import { sql, type Kysely } from 'kysely'

type Noted = { table: string; topic: string; org: string; columns?: string[] }

// What the console and the audit show, in addition to the tables of 0023.
const noted: Noted[] = [
  { table: 'audit_entries', topic: 'audit', org: `nullif(r.chain, 'platform')` },
  { table: 'lifecycle_events', topic: 'operations', org: 'r.org_id' },
  { table: 'agent_rules', topic: 'rules', org: 'null', columns: ['verdict'] },
  {
    table: 'user',
    topic: 'people',
    org: 'null',
    columns: ['name', 'email', '"emailVerified"', '"twoFactorEnabled"'],
  },
]

const keys: Record<string, string> = { agent_rules: 'key', user: 'id' }

function statementsOf({ table, topic, org, columns }: Noted): string[] {
  const name = `note_${topic}_${table}`
  // `security definer`: a role that may only append to the audit must be able to append here.
  const define = (suffix: string, rows: string) =>
    `create function ${name}${suffix}() returns trigger language plpgsql security definer
      set search_path from current as $$
      begin
        insert into state_changes (topic, org_id, user_id) select distinct '${topic}', ${org}::text, null from ${rows};
        return null;
      end $$`
  const on = (event: string, suffix: string, tables: string) =>
    `create trigger ${name}_${event} after ${event} on "${table}" referencing ${tables}
      for each statement execute function ${name}${suffix}()`
  const added = [define('', 'changed r'), on('insert', '', 'new table as changed')]
  if (columns === undefined) return added
  const differs = columns.map((column) => `r.${column} is distinct from b.${column}`).join(' or ')
  const key = keys[table]
  return [
    ...added,
    on('delete', '', 'old table as changed'),
    define('_update', `changed r join before b on b.${key} = r.${key} where ${differs}`),
    on('update', '_update', 'old table as before new table as changed'),
  ]
}

/** Records changes that only the audit, the directory of people and the rules for agents show. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of noted.flatMap(statementsOf)) await sql.raw(statement).execute(db)
}
