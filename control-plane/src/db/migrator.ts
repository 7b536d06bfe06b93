import { Migrator } from 'kysely/migration'
import type { Db } from './database.ts'
import { migrations } from './migrations.ts'

const migrator = (db: Db) => new Migrator({ db, provider: { getMigrations: async () => migrations } })

/** Brings the schema up to date; Kysely serialises several callers by an advisory lock. Answers what was applied. */
export async function migrate(db: Db): Promise<string[]> {
  const { error, results = [] } = await migrator(db).migrateToLatest()
  if (error) throw error
  return results.filter(({ status }) => status === 'Success').map(({ migrationName }) => migrationName)
}

/** The migrations that this build knows and the database lacks; a replica is not ready while there are any. */
export async function pendingMigrations(db: Db): Promise<string[]> {
  const all = await migrator(db).getMigrations()
  return all.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name)
}
