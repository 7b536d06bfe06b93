import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { namesIn, wasMoved } from './database-folders.ts'
import { readDatabaseRecord, writeDatabaseRecord } from './installation-record.ts'
import { dataLayout } from './places.ts'
import { syncFolder } from './small-file.ts'

/** Moves a database folder. A kill at any time leaves one valid database; `removeMoved` removes the other. */
export async function moveDatabase(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await copyDatabase(from, to)
  }
  await syncFolder(dirname(to))
}

async function copyDatabase(from: string, to: string): Promise<void> {
  const record = await readDatabaseRecord(from)
  if (record === undefined) throw new Error(`${from} does not say whose database it is`)

  const draft = `${to}.moving`
  await rm(draft, { recursive: true, force: true })
  await cp(from, draft, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  await writeDatabaseRecord(from, { ...record, movedTo: to })
  await rename(draft, to)
  await syncFolder(dirname(to))
  await rm(from, { recursive: true })
}

/** Removes what an interrupted move left in the data folder. */
export async function removeMoved(dataDir: string): Promise<void> {
  for (const name of await namesIn(dataDir)) {
    if (!name.startsWith('postgres-')) continue
    const folder = dataLayout(dataDir).database(name.slice('postgres-'.length))
    const record = await readDatabaseRecord(folder)
    if (record !== undefined && (await wasMoved(record))) await rm(folder, { recursive: true })
  }
}
