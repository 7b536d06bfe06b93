import { sql } from 'kysely'
import type { Secret } from '@svc/shared/kit/secret.ts'
import type { Db } from './database.ts'

/**
 * The role with which the application connects: it changes rows but not tables, and can only insert and read audit
 * rows.
 */
export const APP_ROLE = 'svc_app'

/** The application inserts and reads rows of these tables. `audit_prune`, which runs as the owner, removes old ones. */
const AUDIT_TABLES = ['audit_entries', 'audit_checkpoints', 'audit_retentions', 'audit_keys']
/** Written by migrations alone. */
const MIGRATION_TABLES = ['kysely_migration', 'kysely_migration_lock']
/** Our schemas besides the one of the tables: jobs without Redis, and the resources of the embedded platform. */
const MORE_SCHEMAS = ['bullmq', 'embedded']

/** What the application's role may not be: the column of `pg_roles` that says so, and the word that ends it. */
const DENIED = [
  ['rolsuper', 'nosuperuser'],
  ['rolcreatedb', 'nocreatedb'],
  ['rolcreaterole', 'nocreaterole'],
  ['rolreplication', 'noreplication'],
  ['rolbypassrls', 'nobypassrls'],
] as const
type Attributes = Record<(typeof DENIED)[number][0], boolean>

/** Creates the application's role or changes its password; without a password, Postgres must trust the connection. */
export async function makeAppRole(db: Db, password: Secret | undefined): Promise<'made' | 'changed'> {
  const found = await findAppRole(db)
  // Only a superuser may name some of these for a role that exists, even to deny what the role does not have.
  const denied = DENIED.filter(([column]) => found === undefined || found[column]).map(([, word]) => word)
  const rights = sql.raw(['login', ...denied].join(' '))
  const secret = password === undefined ? sql`` : sql` password ${sql.lit(password.reveal())}`
  const verb = sql.raw(found === undefined ? 'create' : 'alter')
  await sql`${verb} role ${sql.id(APP_ROLE)} ${rights}${secret}`.execute(db)
  await sql`revoke create on schema public from public`.execute(db)
  return found === undefined ? 'made' : 'changed'
}

/**
 * Grants the application's role its rights on the present schema; false when there is no such role and one role does
 * everything.
 */
export async function grantToAppRole(db: Db): Promise<boolean> {
  if ((await findAppRole(db)) === undefined) return false
  const { rows } = await sql<{ schema: string }>`
    select nspname as schema from pg_namespace where nspname in ('public', ${sql.join(MORE_SCHEMAS)})`.execute(db)
  await db.transaction().execute(async (trx) => {
    const run = (statement: string) => sql.raw(`${statement} ${APP_ROLE}`).execute(trx)
    for (const { schema } of rows) {
      await run(`grant usage on schema ${schema} to`)
      await run(`grant select, insert, update, delete on all tables in schema ${schema} to`)
      await run(`grant usage, select, update on all sequences in schema ${schema} to`)
    }
    for (const table of await presentOf(trx, AUDIT_TABLES)) await run(`revoke update, delete on ${table} from`)
    for (const table of await presentOf(trx, MIGRATION_TABLES))
      await run(`revoke insert, update, delete on ${table} from`)
  })
  return true
}

/** Grants rights on future tables, too: replicas that wait for a migration use them as soon as it ends. */
export async function grantLaterTables(db: Db): Promise<void> {
  if ((await findAppRole(db)) === undefined) return
  for (const rights of ['select, insert, update, delete on tables', 'usage, select, update on sequences'])
    await sql.raw(`alter default privileges in schema public grant ${rights} to ${APP_ROLE}`).execute(db)
}

async function presentOf(db: Db, tables: string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' and tablename in (${sql.join(tables)})`.execute(
    db,
  )
  return rows.map(({ name }) => name)
}

async function findAppRole(db: Db): Promise<Attributes | undefined> {
  const { rows } = await sql<Attributes>`
    select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls from pg_roles
    where rolname = ${APP_ROLE}`.execute(db)
  return rows[0]
}
