import type { Secret } from '@svc/shared/kit/secret.ts'
import { grantLaterTables, grantToAppRole } from './db/app-role.ts'
import type { Db } from './db/database.ts'
import { migrate } from './db/migrator.ts'
import { migratePostgresQueue } from './jobs/queue-backend.ts'

type Options = {
  /** The database as its owner sees it. */
  db: Db
  url: Secret
  /** Where jobs are stored. */
  jobs: 'postgres' | 'redis'
}

/**
 * Migrates the database, as its owner. Replicas wait for the tables and start as soon as the last one exists, so
 * everything else that they need comes first: the schema of jobs, and the rights on future tables. Returns the applied
 * migrations.
 */
export async function updateSchema({ db, url, jobs }: Options): Promise<string[]> {
  if (jobs === 'postgres') await migratePostgresQueue(url)
  await grantToAppRole(db)
  await grantLaterTables(db)
  const applied = await migrate(db)
  await grantToAppRole(db)
  return applied
}
