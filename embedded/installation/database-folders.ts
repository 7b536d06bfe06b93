import { createHash } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { hasCluster } from '../database/make-cluster.ts'
import { readSecrets, type PlatformSecrets } from '../platform-secrets.ts'
import { readDatabaseRecord, readDataRecord, type DatabaseRecord } from './installation-record.ts'
import { databaseLayout, dataLayout, InstallationId, runsAsRoot, SHARED_FOLDER, type DataLayout } from './places.ts'

/** A database folder, and whether the data folder that last used it still claims it. */
export type FoundDatabase = {
  id: string
  folder: string
  /** The data folder that last used it. */
  dataDir: string
  owner: 'this' | 'other' | 'gone'
  /** The copy of the installation's secrets beside the database. */
  secrets: PlatformSecrets | undefined
}

const PREFIX = 'postgres-'

const isId = (text: string) => InstallationId.safeParse(text).success

/** Databases that could belong to this data folder: those in it and, for root, those in the shared folder. */
export async function findDatabases({ dataDir }: DataLayout): Promise<FoundDatabase[]> {
  const names = (await namesIn(dataDir)).filter((name) => name.startsWith(PREFIX) && isId(name.slice(PREFIX.length)))
  const inside = names.map((name) => join(dataDir, name))
  const found = await Promise.all(
    [...inside, ...(await sharedFolders())].map((path) => readFoundDatabase(path, dataDir)),
  )
  return found.filter((database) => database !== undefined)
}

/** Copies of a database that a killed move left in the data folder. */
export async function listUnfinishedMoves({ dataDir }: DataLayout): Promise<string[]> {
  const names = (await namesIn(dataDir)).filter((name) => name.startsWith(PREFIX) && name.endsWith('.moving'))
  return names.map((name) => join(dataDir, name))
}

/** Database folders in the shared folder; empty for anybody but root. */
export async function sharedFolders(): Promise<string[]> {
  if (!runsAsRoot()) return []
  const names = (await namesIn(SHARED_FOLDER)).filter(isId)
  return names.map((name) => join(SHARED_FOLDER, name))
}

/** Reads the record beside a database; undefined when it is unfinished or was moved. */
export async function readFoundDatabase(folder: string, dataDir: string): Promise<FoundDatabase | undefined> {
  const record = (await hasCluster(folder)) ? await readDatabaseRecord(folder) : undefined
  if (record === undefined || (await wasMoved(folder, record))) return undefined
  const secrets = await readSecrets(databaseLayout(folder).secrets)
  const owner = folder.startsWith(`${dataDir}/`) ? 'this' : await ownerOf(record, dataDir)
  return { id: record.id, folder, dataDir: record.dataDir, owner, secrets }
}

/** True when the copy at the new place is complete, so that this one only waits for removal. */
export async function wasMoved(folder: string, { id, movedTo }: DatabaseRecord): Promise<boolean> {
  if (movedTo === undefined || resolve(movedTo) === resolve(folder)) return false // it is the copy itself
  return (await hasCluster(movedTo)) && (await readDatabaseRecord(movedTo))?.id === id
}

async function ownerOf({ id, dataDir }: DatabaseRecord, here: string): Promise<FoundDatabase['owner']> {
  if (resolve(dataDir) === resolve(here)) return 'this'
  return (await readDataRecord(dataLayout(dataDir)))?.id === id ? 'other' : 'gone'
}

/** Where the database of this data folder was before installations had ids; undefined when there is none. */
export async function findLegacyDatabase({ dataDir, legacyDatabase }: DataLayout): Promise<string | undefined> {
  const key = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 12)
  const places = [legacyDatabase, ...(runsAsRoot() ? [join(SHARED_FOLDER, key)] : [])]
  for (const place of places) if (await hasCluster(place)) return place
  return undefined
}

/**
 * Databases of the shared folder from before installations had ids: their names do not tell which clone they belong to.
 */
export async function listLegacyDatabases(): Promise<string[]> {
  if (!runsAsRoot()) return []
  const names = (await namesIn(SHARED_FOLDER)).filter((name) => /^[0-9a-f]{12}$/.test(name))
  return names.map((name) => join(SHARED_FOLDER, name))
}

/**
 * Names in a folder except links; empty when there is no such folder. Other installations remove their entries of the
 * shared folder at any time, so a name may be gone when it is looked at.
 */
export async function namesIn(folder: string): Promise<string[]> {
  const entries = (await readdir(folder).catch(absent)) ?? []
  const kinds = await Promise.all(
    entries.map(async (name) => ({ name, found: await lstat(join(folder, name)).catch(absent) })),
  )
  return kinds.filter(({ found }) => found !== undefined && !found.isSymbolicLink()).map(({ name }) => name)
}

/** Undefined for what does not exist; rethrows any other failure. */
function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
