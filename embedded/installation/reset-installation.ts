import { lstat } from 'node:fs/promises'
import { waitForOrphan } from '../database/postmaster.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { findDatabases, findLegacyDatabase, listUnfinishedMoves } from './database-folders.ts'
import { folderBytes, shownBytes } from './folder-size.ts'
import { readDataRecord } from './installation-record.ts'
import { carryOut } from './pending.ts'
import { databaseLayout, type DataLayout } from './places.ts'

/** All existing parts of an installation: those of the data folder and its database. */
export async function listInstallation(layout: DataLayout): Promise<string[]> {
  const record = await readDataRecord(layout)
  const databases = (await findDatabases(layout)).filter(
    ({ id, owner }) => owner === 'this' || (owner === 'gone' && id === record?.id),
  )
  const legacy = await findLegacyDatabase(layout)
  const parts = [layout.record, layout.secrets, layout.daemons, layout.images, layout.log, layout.earlierLog]
  const left = await listUnfinishedMoves(layout)
  const paths = [...parts, ...databases.map(({ folder }) => folder), ...(legacy ? [legacy] : []), ...left]
  const found = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)))
  return paths.filter((_, index) => found[index] !== undefined)
}

/** One line per path with its content, for a person who is about to delete it. */
export async function describePaths(paths: string[]): Promise<string[]> {
  return Promise.all(paths.map(async (path) => `    ${path}  (${shownBytes(await folderBytes(path))})`))
}

type Reset = { layout: DataLayout; paths: string[]; clock: Clock; log: Log }

/** Deletes an installation. If it is interrupted, the next start completes it. */
export async function resetInstallation({ layout, paths, clock, log }: Reset): Promise<void> {
  for (const path of paths) await waitForOrphan(databaseLayout(path).cluster, { clock, log })
  await carryOut(layout, { action: 'reset', remove: paths })
}
