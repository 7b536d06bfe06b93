import { sql } from 'kysely'
import type { Secret } from '@svc/shared/kit/secret.ts'
import type { Db } from './database.ts'

/** The role that the application connects as: it changes rows and no tables, and of the audit it adds and reads rows alone. */
export const APP_ROLE = 'svc_app'

/** Rows of these tables are added and read. Old ones go through `audit_prune`, which runs as the owner of the tables. */
const AUDIT_TABLES = ['audit_entries', 'audit_checkpoints', 'audit_retentions', 'audit_keys']
/** Written by migrations alone. */
const MIGRATION_TABLES = ['kysely_migration', 'kysely_migration_lock']
/** Schemas of ours besides that of the tables: jobs without Redis, and the resources of the embedded platform. */
const MORE_SCHEMAS = ['bullmq', 'embedded']

/** Makes the application's role or gives it another password; without a password it gets in where Postgres asks for none. */
export async function makeAppRole(db: Db, password: Secret | undefined): Promise<'made' | 'changed'> {
  const found = await hasAppRole(db)
  const rights = sql.raw('login nosuperuser nocreatedb nocreaterole noreplication nobypassrls')
  const secret = password === undefined ? sql`` : sql` password ${sql.lit(password.reveal())}`
  await sql`${sql.raw(found ? 'alter' : 'create')} role ${sql.id(APP_ROLE)} ${rights}${secret}`.execute(db)
  await sql`revoke create on schema public from public`.execute(db)
  return found ? 'changed' : 'made'
}

/**
 * Gives the application's role what it needs of the present schema, where there is such a role; false when it is
 * missing, and one role does everything.
 */
export async function grantToAppRole(db: Db): Promise<boolean> {
  if (!(await hasAppRole(db))) return false
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

/** Tables that the owner makes from now on may be used at once: replicas that wait for a migration use them then. */
export async function grantLaterTables(db: Db): Promise<void> {
  if (!(await hasAppRole(db))) return
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

async function hasAppRole(db: Db): Promise<boolean> {
  const { rows } = await sql`select from pg_roles where rolname = ${APP_ROLE}`.execute(db)
  return rows.length > 0
}
