import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { openDatabase } from '../control-plane/src/db/database.ts'
import { migrate } from '../control-plane/src/db/migrator.ts'
import { startPostgres } from '../embedded/database/postgres.ts'

/**
 * Starts a Postgres with one migrated database, and creates a folder for other files of the bench. `settings` are
 * passed to Postgres. Ending it removes both.
 */
export async function startBenchDatabase(settings: Record<string, string> = {}) {
  const log = createLog({ service: 'bench', level: 'error' })
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  await chmod(folder, 0o711) // as root, Postgres runs as another user and has to traverse it
  const postgres = await startPostgres({ folder, clock: systemClock, log, settings })
  const url = await postgres.database('bench')
  const { db, close } = openDatabase({ url, log, max: 2 })
  await migrate(db)
  await close()
  return {
    url,
    folder,
    stop: async () => {
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
