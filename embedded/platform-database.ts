import { APP_ROLE, makeAppRole } from '@svc/control-plane/src/db/app-role.ts'
import { openDatabase } from '@svc/control-plane/src/db/database.ts'
import { updateSchema } from '@svc/control-plane/src/update-schema.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import type { Shutdown } from '@svc/shared/kit/shutdown.ts'
import type { EmbeddedConfig } from './config.ts'
import { startPostgres } from './database/postgres.ts'
import { databaseWasMade, openInstallation, openSecrets } from './installation/open-installation.ts'
import { dataLayout } from './installation/places.ts'
import { makeManagedDaemonTable } from './managed-daemon-table.ts'

const DATABASE = 'svc'

type Options = {
  config: EmbeddedConfig
  clock: Clock
  log: Log
  onLost: (what: string) => void
  say: (line: string) => void
  shutdown: Shutdown
}

/** The platform's own Postgres with its installation; it stops when the platform stops. */
export async function ownDatabase({ config, clock, log, onLost, say, shutdown }: Options) {
  const layout = dataLayout(config.dataDir)
  const { id, secrets, databaseFolder } = await openInstallation({ layout, clock, log, say })
  const postgres = await startPostgres({ folder: databaseFolder, clock, log })
  let stopping = false
  void postgres.ended.then(() => stopping || onLost('The embedded Postgres ended by itself.'))
  shutdown.add('postgres', () => {
    stopping = true
    return postgres.stop()
  })
  await databaseWasMade(layout, id)
  const ownerUrl = await postgres.database(DATABASE)
  return { ownerUrl, databaseUrl: asAppRole(ownerUrl), databaseFolder, secrets }
}

/** An external database has the roles that its URL names. */
export async function givenDatabase(url: Secret, dataDir: string) {
  const secrets = await openSecrets(dataLayout(dataDir))
  return { ownerUrl: url, databaseUrl: url, databaseFolder: undefined, secrets }
}

/** Migrates the schema as the owner of the database, and grants the application's role access. */
export async function prepareDatabase({
  ownerUrl,
  databaseUrl,
  log,
}: {
  ownerUrl: Secret
  databaseUrl: Secret
  log: Log
}) {
  const { db, pool, close } = openDatabase({ url: ownerUrl, log, max: 2 })
  try {
    // The socket of our own Postgres needs no password: only its user can enter the folder.
    if (databaseUrl !== ownerUrl) await makeAppRole(db, undefined)
    await makeManagedDaemonTable(pool)
    await updateSchema({ db, url: ownerUrl, jobs: 'postgres' })
  } finally {
    await close()
  }
}

function asAppRole(ownerUrl: Secret): Secret {
  const url = new URL(ownerUrl.reveal())
  url.username = APP_ROLE
  return new Secret(url.href)
}
