import { chown, lstat } from 'node:fs/promises'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { ownFolder } from '../database/own-folder.ts'
import { waitForOrphan } from '../database/postmaster.ts'
import { readSecrets, sameSecrets, writeSecrets, type PlatformSecrets } from '../platform-secrets.ts'
import { readDatabaseRecord, writeDatabaseRecord } from './installation-record.ts'
import { databaseLayout, newInstallationId, runsAsRoot, SHARED_FOLDER } from './places.ts'
import { StartRefused } from './refusal.ts'
import { removeDrafts } from './small-file.ts'

type Mark = { id: string; dataDir: string; secrets: PlatformSecrets }

/** Writes beside the database which installation it belongs to, with the secrets that open its keys. */
export async function markDatabase(folder: string, { id, dataDir, secrets }: Mark): Promise<void> {
  await makeDatabaseFolder(folder)
  await removeDrafts(folder)
  const file = databaseLayout(folder).secrets
  const kept = await readSecrets(file)
  if (kept === undefined || !sameSecrets(kept, secrets)) await writeSecrets(file, secrets)
  const record = await readDatabaseRecord(folder)
  if (record?.id !== id || record.dataDir !== dataDir) await writeDatabaseRecord(folder, { id, dataDir })
}

/**
 * Throws StartRefused when the folder of a database belongs to another user: root could open it, and that user could
 * then no longer start the platform.
 */
export async function refuseForeignDatabase(folder: string): Promise<void> {
  const uid = process.getuid?.()
  const found = await lstat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (uid === undefined || found === undefined || found.uid === uid) return
  throw new StartRefused(
    `The database ${folder} belongs to the user ${found.uid}, and this is the user ${uid}. Start the platform as that user, ` +
      'or give this one the database and the whole data folder first (chown -R).',
  )
}

/** Creates the folder of a database, which is ours; only the cluster in it belongs to the database user. */
export async function makeDatabaseFolder(folder: string): Promise<void> {
  await refuseForeignDatabase(folder)
  if (folder.startsWith(`${SHARED_FOLDER}/`)) await ownFolder(SHARED_FOLDER, { mode: 0o711 })
  await ownFolder(folder, { mode: runsAsRoot() ? 0o711 : 0o700 })
}

type Naming = { folder: string; dataDir: string; secrets: PlatformSecrets; clock: Clock; log: Log }

/** Gives a database of an older version an id, once its server has ended; returns the id. */
export async function nameLegacyDatabase({ folder, dataDir, secrets, clock, log }: Naming): Promise<string> {
  await waitForOrphan(databaseLayout(folder).cluster, { clock, log })
  const [uid, gid] = [process.getuid?.(), process.getgid?.()]
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid) // for root it belonged to another user
  const id = (await readDatabaseRecord(folder))?.id ?? newInstallationId()
  await markDatabase(folder, { id, dataDir, secrets })
  return id
}
