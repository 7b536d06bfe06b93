import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@svc/shared/kit/log.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import type { TestProject } from 'vitest/node'
import { makeAppRole } from '../../control-plane/src/db/app-role.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { updateSchema } from '../../control-plane/src/update-schema.ts'
import { startPostgres } from '../../embedded/database/postgres.ts'
import { removeFolder } from './remove-folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the migrated template database; test databases are copies of it. */
    postgresTemplate: string
  }
}

export const TEMPLATE = 'svc_template'

/** Global setup of the system tests: one real Postgres for the run, with one migrated database to copy. */
export default async function setup(project: TestProject) {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-test-'))
  await chmod(dataDir, 0o711) // as root, Postgres runs as another user and has to traverse it
  const log = createLog({ service: 'test-postgres', level: 'warn' })
  const server = await startPostgres({
    folder: dataDir,
    log,
    clock: systemClock,
    settings: { fsync: 'off', synchronous_commit: 'off', max_connections: '300' },
  })

  const template = await server.database(TEMPLATE)
  const { db, close } = openDatabase({ url: template, log, max: 1 })
  await makeAppRole(db, undefined)
  await updateSchema({ db, url: template, jobs: 'postgres' })
  await close()
  project.provide('postgresTemplate', template.reveal())

  return async () => {
    await server.stop()
    await removeFolder(dataDir)
  }
}
