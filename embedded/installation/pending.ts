import { access, rename, rm } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { z } from 'zod'
import { readSecrets } from '../platform-secrets.ts'
import { writeDataRecord } from './installation-record.ts'
import { makeDatabaseFolder, markDatabase } from './mark-database.ts'
import { databaseLayout, InstallationId, SHARED_FOLDER, type DataLayout } from './places.ts'
import { readSmallFile, removeDrafts, syncFolder, UnreadableFile, writeSmallFile } from './small-file.ts'

/**
 * A decided change that is carried out step by step. It is written before the first step and removed after the last.
 * Each step can be repeated, so the next start can complete it. Its file names paths in the data folder relative to that
 * folder, which may be moved before it is completed.
 */
const Pending = z.discriminatedUnion('action', [
  z.object({ action: z.literal('reset'), remove: z.array(z.string()) }),
  z.object({ action: z.literal('restore'), id: InstallationId, database: z.string(), remove: z.array(z.string()) }),
])
type Pending = z.infer<typeof Pending>

/** The parts of a data folder in a backup. A restore unpacks them under the same names in `restoring`. */
export const dataParts = ['secrets.json', 'daemons', 'images'] as const

/** Writes a pending change and carries it out. */
export async function carryOut(layout: DataLayout, order: Pending): Promise<void> {
  const remove = order.remove.map((path) => written(layout, path))
  const database = order.action === 'restore' ? { database: written(layout, order.database) } : {}
  await writeSmallFile(layout.pending, { ...order, remove, ...database })
  await complete(layout, order)
}

/** The change that a killed process has decided and not completed; undefined when there is none. */
export const pendingAction = async (layout: DataLayout): Promise<Pending['action'] | undefined> =>
  (await readSmallFile(layout.pending, Pending))?.action

/** Completes what a killed process had started; called before anything else reads the data folder. */
export async function completePending(layout: DataLayout, say: (line: string) => void): Promise<void> {
  await removeDrafts(layout.dataDir)
  const order = await readSmallFile(layout.pending, Pending)
  if (order !== undefined) {
    say(`Completing the ${order.action} that was interrupted in ${layout.dataDir}.`)
    return complete(layout, order)
  }
  if (!(await exists(layout.restoring))) return
  say(`Removing what an interrupted restore had unpacked in ${layout.dataDir}; nothing else was changed by it.`)
  const staged = await readSmallFile(stagingFile(layout), Staging)
  const database = staged && placeOf(layout, staged.database)
  if (database !== undefined) await removePart(database) // any other is not of this data folder
  await rm(layout.restoring, { recursive: true })
}

const Staging = z.object({ database: z.string() })
const stagingFile = (layout: DataLayout) => join(layout.restoring, 'staging.json')

/** Records in `restoring` where the database is unpacked, in case the restore is abandoned. */
export const writeStaging = (layout: DataLayout, database: string) =>
  writeSmallFile(stagingFile(layout), Staging.parse({ database: written(layout, database) }))

async function complete(layout: DataLayout, order: Pending): Promise<void> {
  if (order.action === 'reset') await removeAll(layout, order.remove)
  else await completeRestore(layout, order)
  await rm(layout.pending, { force: true })
  await syncFolder(layout.dataDir)
}

async function completeRestore(layout: DataLayout, order: Extract<Pending, { action: 'restore' }>): Promise<void> {
  const { dataDir, restoring } = layout
  const database = ownPlace(layout, order.database)
  for (const part of dataParts) {
    if (!(await exists(join(restoring, part)))) continue // done before
    await rm(join(dataDir, part), { recursive: true, force: true })
    await rename(join(restoring, part), join(dataDir, part))
  }
  await removeAll(layout, order.remove)

  const secrets = await readSecrets(layout.secrets)
  if (secrets === undefined) throw new UnreadableFile(layout.secrets, undefined)
  await makeDatabaseFolder(database)
  await markDatabase(database, { id: order.id, dataDir, secrets })
  await writeDataRecord(layout, { id: order.id, database: 'made' })
  await rm(restoring, { recursive: true, force: true })
}

async function removeAll(layout: DataLayout, paths: string[]): Promise<void> {
  for (const path of paths.map((one) => ownPlace(layout, one))) await removePart(path)
}

/** Removes a part of an installation. */
async function removePart(path: string): Promise<void> {
  await rm(databaseLayout(path).record, { force: true }).catch(ifNoFolder) // an incomplete database counts as none
  await rm(path, { recursive: true, force: true })
}

/** A path as our files hold it. */
const written = ({ dataDir }: DataLayout, path: string) =>
  path.startsWith(`${dataDir}/`) ? relative(dataDir, path) : path

/** The place that one of our files names: in the data folder or the shared folder. Undefined for any other. */
function placeOf({ dataDir }: DataLayout, path: string): string | undefined {
  const place = resolve(dataDir, path)
  return [dataDir, SHARED_FOLDER].some((folder) => place.startsWith(`${folder}/`)) ? place : undefined
}

/** The place that the pending change names. It is a file, so refuse any other path. */
function ownPlace(layout: DataLayout, path: string): string {
  const place = placeOf(layout, path)
  if (place === undefined) throw new UnreadableFile(layout.pending, `${path} is no part of an installation`)
  return place
}

function ifNoFolder(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTDIR') throw error
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return false
    },
  )
