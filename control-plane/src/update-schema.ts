import type { Secret } from '@svc/shared/kit/secret.ts'
import { grantLaterTables, grantToAppRole } from './db/app-role.ts'
import type { Db } from './db/database.ts'
import { migrate } from './db/migrator.ts'
import { migratePostgresQueue } from './jobs/queue-backend.ts'

type Options = {
  /** The database as its owner sees it. */
  db: Db
  url: Secret
  /** Where jobs lie. */
  jobs: 'postgres' | 'redis'
}

/**
 * Brings the database up to date, as its owner. Replicas wait for the tables and start with the last of them, so what
 * they need besides comes first: the schema of jobs, and the rights on tables that are to come. Returns what was applied.
 */
export async function updateSchema({ db, url, jobs }: Options): Promise<string[]> {
  if (jobs === 'postgres') await migratePostgresQueue(url)
  await grantToAppRole(db)
  await grantLaterTables(db)
  const applied = await migrate(db)
  await grantToAppRole(db)
  return applied
}
