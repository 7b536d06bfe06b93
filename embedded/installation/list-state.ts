import { join } from 'node:path'
import { runningPostmaster } from '../database/postmaster.ts'
import { commandOf, listProcesses } from '../database/process-table.ts'
import { listLegacyDatabases, namesIn, readFoundDatabase, sharedFolders } from './database-folders.ts'
import { readDataRecord } from './installation-record.ts'
import { listInstallation } from './reset-installation.ts'
import { databaseLayout, dataLayout, runsAsRoot, SHARED_FOLDER, type DataLayout } from './places.ts'

/** Something of this platform outside the data folder. `keep` says why it must stay. */
export type OutsideState = { name: string; path: string; what: string; keep: string | undefined }

/** The parts of this installation. */
export const listOwnState = listInstallation

/** Databases and programs in the shared folder, of every clone that root has started. */
export async function listOutsideState({ dataDir }: DataLayout): Promise<OutsideState[]> {
  if (!runsAsRoot()) return []
  const databases = await Promise.all((await sharedFolders()).map((folder) => describeDatabase(folder, dataDir)))
  const legacy = await Promise.all(
    (await listLegacyDatabases()).map((path) =>
      describe(path, 'database of an older version; its clone is not known', () => whyRunning(path)),
    ),
  )
  const rest = (await namesIn(SHARED_FOLDER)).filter((name) =>
    /^(programs-|socket-|svc-postgres-)|\.moving$/.test(name),
  )
  const others = await Promise.all(
    rest.map((name) => describe(join(SHARED_FOLDER, name), kindOf(name), () => whyUsed(join(SHARED_FOLDER, name)))),
  )
  return [...databases, ...legacy, ...others]
}

async function describeDatabase(folder: string, dataDir: string): Promise<OutsideState> {
  const found = await readFoundDatabase(folder, dataDir)
  if (found === undefined) return describe(folder, 'unfinished database', () => whyRunning(folder))
  const owned = (await readDataRecord(dataLayout(found.dataDir)))?.id === found.id
  const whose = found.owner === 'this' ? 'this installation' : found.dataDir
  return describe(folder, `database of ${whose}${owned ? '' : ', which is gone'}`, async () =>
    owned ? `${found.dataDir} uses it; npm start -- --reset there removes it` : whyRunning(folder),
  )
}

async function describe(path: string, what: string, keep: () => Promise<string | undefined>): Promise<OutsideState> {
  return { name: path.slice(SHARED_FOLDER.length + 1), path, what, keep: await keep() }
}

const kindOf = (name: string) =>
  name.startsWith('programs-') ? 'Postgres programs, copied again when needed' : 'left by a killed process'

async function whyRunning(folder: string): Promise<string | undefined> {
  const running = await runningPostmaster(databaseLayout(folder).cluster)
  return running && `its Postgres runs (process ${running.pid})`
}

async function whyUsed(path: string): Promise<string | undefined> {
  for (const { pid } of (await listProcesses()) ?? [])
    if ((await commandOf(pid)).includes(path)) return `process ${pid} uses it`
  return undefined
}
