import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { namesIn, wasMoved } from './database-folders.ts'
import { readDatabaseRecord, writeDatabaseRecord } from './installation-record.ts'
import { dataLayout } from './places.ts'
import { syncFolder } from './small-file.ts'
import { syncTree } from './sync-tree.ts'

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

/** Moves a database folder to another file system. A kill or a power cut at any time leaves one valid database. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const record = await readDatabaseRecord(from)
  if (record === undefined) throw new Error(`${from} does not say whose database it is`)
  const { id, dataDir } = record

  const draft = `${to}.moving`
  await rm(draft, { recursive: true, force: true })
  const sockets = join(from, 'run') // a killed server leaves its socket, which cannot be copied
  const filter = (source: string) => source !== sockets
  await cp(from, draft, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, filter })
  await writeDatabaseRecord(draft, { id, dataDir }) // a killed move may have written `movedTo` in the original
  await syncTree(draft)
  await writeDatabaseRecord(from, { id, dataDir, movedTo: to })
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
    if (record !== undefined && (await wasMoved(folder, record))) await rm(folder, { recursive: true })
  }
}
