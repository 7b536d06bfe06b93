import { once } from 'node:events'
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifies } from '../../test/requirements.ts'
import { findDatabases } from './database-folders.ts'
import { readDatabaseRecord, writeDatabaseRecord } from './installation-record.ts'
import { copyDatabase, removeMoved } from './move-database.ts'
import { databaseLayout, dataLayout } from './places.ts'
import { listInstallation } from './reset-installation.ts'

const ID = 'ins_aaaaaaaaaaaa'
let base: string
let layout: ReturnType<typeof dataLayout>

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'svc-move-'))
  layout = dataLayout(join(base, 'data'))
  await mkdir(layout.dataDir)
})
afterEach(async () => {
  await rm(base, { recursive: true, force: true })
})

async function putDatabase(folder: string): Promise<void> {
  const { cluster } = databaseLayout(folder)
  await mkdir(cluster, { recursive: true })
  await writeFile(join(cluster, 'PG_VERSION'), '18')
  await writeDatabaseRecord(folder, { id: ID, dataDir: layout.dataDir })
}

const found = async () =>
  (await findDatabases(layout)).map(({ folder }) => folder).filter((folder) => folder.startsWith(base))

test('a database of a killed server is copied to another file system, without its socket', async () => {
  verifies('embedded.migrates')
  const from = join(base, 'elsewhere')
  const to = layout.database(ID)
  await putDatabase(from)
  await mkdir(join(from, 'run'))
  await mkdir(join(from, 'data/run'))
  const server = createServer().listen(join(from, 'run/.s.PGSQL.5432'))
  await once(server, 'listening')
  await copyDatabase(from, to).finally(() => server.close())

  expect((await readdir(to)).toSorted()).toEqual(['data', 'installation.json'])
  expect((await readdir(join(to, 'data'))).toSorted()).toEqual(['PG_VERSION', 'run'])
  await expect(lstat(from)).rejects.toThrow('ENOENT')
  expect(await readdir(layout.dataDir)).toEqual([`postgres-${ID}`])
})

test('a copy that is repeated after a kill is the database, and stays', async () => {
  verifies('embedded.migrates', 'embedded.no-silent-loss')
  const from = join(base, 'elsewhere')
  const to = layout.database(ID)
  await putDatabase(from)
  // Killed after the record said where the copy will be.
  await writeDatabaseRecord(from, { id: ID, dataDir: layout.dataDir, movedTo: to })
  await copyDatabase(from, to)
  expect(await readDatabaseRecord(to)).toEqual({ format: 1, id: ID, dataDir: layout.dataDir })
  expect(await found()).toEqual([to])

  // As an earlier version left it.
  await writeDatabaseRecord(to, { id: ID, dataDir: layout.dataDir, movedTo: to })
  await removeMoved(layout.dataDir)
  expect(await found()).toEqual([to])
  expect(await readFile(join(to, 'data/PG_VERSION'), 'utf8')).toBe('18')
})

test('what a killed copy left is no database, and a reset removes it', async () => {
  verifies('embedded.migrates', 'embedded.reset')
  const draft = `${layout.database(ID)}.moving`
  await putDatabase(draft)
  expect(await found()).toEqual([])
  expect(await listInstallation(layout)).toEqual([draft])
})
