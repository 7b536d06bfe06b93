import { access, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { readSecrets } from '../platform-secrets.ts'
import { writeDataRecord } from './installation-record.ts'
import { makeDatabaseFolder, markDatabase } from './mark-database.ts'
import { databaseLayout, dataLayout, InstallationId, SHARED_FOLDER, type DataLayout } from './places.ts'
import { readSmallFile, removeDrafts, syncFolder, UnreadableFile, writeSmallFile } from './small-file.ts'

/**
 * A decided change that is carried out step by step. It is written before the first step and removed after the last.
 * Each step can be repeated, so the next start can complete it.
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
  await writeSmallFile(layout.pending, order)
  await complete(layout, order)
}

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
  const staged = await readSmallFile(join(layout.restoring, 'staging.json'), Staging)
  if (staged) await removeInside(layout, staged.database)
  await rm(layout.restoring, { recursive: true })
}

/** Records in `restoring` where the database is unpacked, in case the restore is abandoned. */
export const Staging = z.object({ database: z.string() })

async function complete(layout: DataLayout, order: Pending): Promise<void> {
  if (order.action === 'reset') for (const path of order.remove) await removeInside(layout, path)
  else await completeRestore(layout, order)
  await rm(layout.pending, { force: true })
  await syncFolder(layout.dataDir)
}

async function completeRestore(layout: DataLayout, order: Extract<Pending, { action: 'restore' }>): Promise<void> {
  const { dataDir, restoring } = layout
  for (const part of dataParts) {
    if (!(await exists(join(restoring, part)))) continue // done before
    await rm(join(dataDir, part), { recursive: true, force: true })
    await rename(join(restoring, part), join(dataDir, part))
  }
  for (const path of order.remove) await removeInside(layout, path)

  const secrets = await readSecrets(layout.secrets)
  if (secrets === undefined) throw new UnreadableFile(layout.secrets, undefined)
  await makeDatabaseFolder(order.database)
  await markDatabase(order.database, { id: order.id, dataDir, secrets })
  await writeDataRecord(layout, { id: order.id, database: 'made' })
  await rm(restoring, { recursive: true, force: true })
}

/**
 * Removes a part of the data folder, or a database of the shared folder. The pending change is a file, so refuse any
 * other path.
 */
async function removeInside({ dataDir }: DataLayout, path: string): Promise<void> {
  const inside = [dataDir, SHARED_FOLDER].some((folder) => resolve(path).startsWith(`${folder}/`))
  if (!inside) throw new UnreadableFile(dataLayout(dataDir).pending, `${path} is no part of an installation`)
  await rm(databaseLayout(path).record, { force: true }).catch(ifNoFolder) // an incomplete database counts as none
  await rm(path, { recursive: true, force: true })
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
