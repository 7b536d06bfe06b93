import { join } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { makeSecrets, readSecrets, sameSecrets, writeSecrets, type PlatformSecrets } from '../platform-secrets.ts'
import { findDatabases, findLegacyDatabase, namesIn } from './database-folders.ts'
import { decideStart, type StartFacts } from './decide-start.ts'
import { readDatabaseRecord, readDataRecord, writeDataRecord } from './installation-record.ts'
import { markDatabase, nameLegacyDatabase, refuseForeignDatabase } from './mark-database.ts'
import { moveDatabase, removeMoved } from './move-database.ts'
import { databaseFolderOf, newInstallationId, runsAsRoot, SHARED_FOLDER, type DataLayout } from './places.ts'
import { StartRefused } from './refusal.ts'
import { ownFolder } from '../database/own-folder.ts'

/** An installation whose data folder and database belong together. */
export type Installation = { id: string; secrets: PlatformSecrets; databaseFolder: string }

type Options = { layout: DataLayout; clock: Clock; log: Log; say: (line: string) => void }

/**
 * Finds the installation of a data folder and its database, creates both at the first start, and migrates the layout of
 * older versions. Throws StartRefused, with nothing changed, when one of the two is missing or belongs to another.
 */
export async function openInstallation({ layout, clock, log, say }: Options): Promise<Installation> {
  await removeMoved(layout.dataDir)
  const decision = decideStart(await gatherStartFacts(layout))
  switch (decision.kind) {
    case 'refuse':
      throw new StartRefused(decision.message)
    case 'begin':
      return begin(layout)
    case 'open':
      return open(layout, decision.folder, say)
    case 'migrate':
      await migrate({ layout, from: decision.from, clock, log, say })
      return openInstallation({ layout, clock, log, say })
  }
}

/** Secrets of a platform that uses the person's own Postgres; created at the first start. */
export async function openSecrets(layout: DataLayout): Promise<PlatformSecrets> {
  const kept = await readSecrets(layout.secrets)
  if (kept) return kept
  const made = makeSecrets()
  await writeSecrets(layout.secrets, made)
  return made
}

/** Reads everything that the decision about a start needs; changes nothing. */
export async function gatherStartFacts(layout: DataLayout): Promise<StartFacts> {
  const { dataDir } = layout
  const record = await readDataRecord(layout)
  const databases = await findDatabases(layout)
  const secrets = await readSecrets(layout.secrets)
  const kept = databases.find(({ id }) => id === record?.id)?.secrets
  const legacy = await findLegacyDatabase(layout)
  return {
    dataDir,
    record,
    secrets: secrets === undefined ? 'absent' : kept && !sameSecrets(secrets, kept) ? 'differ' : 'present',
    daemons: (await namesIn(layout.daemons)).length > 0 ? 'present' : 'absent',
    databases,
    legacy: legacy === undefined ? undefined : { folder: legacy, id: (await readDatabaseRecord(legacy))?.id },
    places: record ? [layout.database(record.id), ...(runsAsRoot() ? [join(SHARED_FOLDER, record.id)] : [])] : [],
  }
}

/** The first start, or the continuation of one that ended before the database existed. */
async function begin(layout: DataLayout): Promise<Installation> {
  const id = (await readDataRecord(layout))?.id ?? newInstallationId()
  await writeDataRecord(layout, { id, database: 'none' })
  const secrets = await openSecrets(layout)
  const databaseFolder = await databaseFolderOf(layout.dataDir, id)
  await markDatabase(databaseFolder, { id, dataDir: layout.dataDir, secrets })
  return { id, secrets, databaseFolder }
}

async function open(layout: DataLayout, found: string, say: (line: string) => void): Promise<Installation> {
  const { dataDir } = layout
  await refuseForeignDatabase(found) // before it is moved
  const [record, secrets] = [await readDatabaseRecord(found), await readSecrets(layout.secrets)]
  if (record === undefined || secrets === undefined) throw new Error(`${found} changed while it was opened`)
  const { id } = record

  const databaseFolder = await databaseFolderOf(dataDir, id)
  const unreachable = found !== databaseFolder && found.startsWith(`${dataDir}/`)
  if (unreachable) {
    say(`The user of the database cannot reach ${found}: moving the database to ${databaseFolder}.`)
    await ownFolder(SHARED_FOLDER, { mode: 0o711 })
    await moveDatabase(found, databaseFolder)
  }
  const folder = unreachable ? databaseFolder : found
  if (record.dataDir !== dataDir) say(`This installation (${id}) was in ${record.dataDir} before.`)
  await markDatabase(folder, { id, dataDir, secrets })
  return { id, secrets, databaseFolder: folder }
}

/** Called when the database exists: from now on a missing one is a loss, not a first start. */
export const databaseWasMade = (layout: DataLayout, id: string) => writeDataRecord(layout, { id, database: 'made' })

type Migration = Options & { from: string }

/** Gives a database of an older version an id and a folder named after it. */
async function migrate({ layout, from, clock, log, say }: Migration): Promise<void> {
  const secrets = await openSecrets(layout)
  const id = await nameLegacyDatabase({ folder: from, dataDir: layout.dataDir, secrets, clock, log })
  await databaseWasMade(layout, id)
  const to = await databaseFolderOf(layout.dataDir, id)
  say(`Moving the database of an older version from ${from} to ${to}.`)
  await moveDatabase(from, to)
}
