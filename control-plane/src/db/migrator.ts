import { Migrator } from 'kysely/migration'
import pg from 'pg'
import type { Db } from './database.ts'
import { migrations } from './migrations.ts'

const INSUFFICIENT_PRIVILEGE = '42501'

const migrator = (db: Db) => new Migrator({ db, provider: { getMigrations: async () => migrations } })

/**
 * Brings the schema up to date; Kysely serializes concurrent callers with an advisory lock. Returns the applied
 * migrations. A schema that a newer build has extended is left alone: migrations only expand, so that a rolled-back
 * build runs on it.
 */
export async function migrate(db: Db): Promise<string[]> {
  if ((await pendingMigrations(db)).length === 0) return []
  const { error, results = [] } = await migrator(db).migrateToLatest()
  if (error) throw error
  return results.filter(({ status }) => status === 'Success').map(({ migrationName }) => migrationName)
}

/** The migrations that this build knows and the database lacks; a replica with any is not ready. */
export async function pendingMigrations(db: Db): Promise<string[]> {
  const all = await migrator(db)
    .getMigrations()
    .catch((error: unknown) => {
      // The application's role gets its rights at the end of the first migration; until then it sees all as pending.
      if (error instanceof pg.DatabaseError && error.code === INSUFFICIENT_PRIVILEGE) return undefined
      throw error
    })
  if (all === undefined) return Object.keys(migrations)
  return all.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name)
}

/** True when the schema is that of this build. False, too, when the database cannot be reached. */
export async function isMigrated(db: Db): Promise<boolean> {
  const pending = await pendingMigrations(db).catch(() => undefined)
  return pending?.length === 0
}
