import { execFile } from 'node:child_process'
import { chmod, lstat, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { startPostgres } from '../database/postgres.ts'
import { postgresVersion } from '../database/programs.ts'
import { lockData } from '../installation/lock-data.ts'
import { makeDatabaseFolder } from '../installation/mark-database.ts'
import { carryOut, completePending, dataParts, writeStaging } from '../installation/pending.ts'
import { databaseFolderOf, databaseLayout, newInstallationId, type DataLayout } from '../installation/places.ts'
import { StartRefused } from '../installation/refusal.ts'
import { listInstallation } from '../installation/reset-installation.ts'
import { readSecrets } from '../platform-secrets.ts'
import { UnusableBackup, type Header } from './archive-format.ts'
import { unpackArchive } from './archive-reader.ts'

type Options = {
  layout: DataLayout
  file: string
  /** What to do with an existing installation. */
  existing: 'keep' | 'replace'
  clock: Clock
  log: Log
  say: (line: string) => void
  onProgress: (done: { files: number; bytes: number }) => void
}

/** The installation that a restore created, and its source. */
export type Restored = { id: string; header: Header; databaseFolder: string }

const run = promisify(execFile)

/**
 * Restores a backup into a data folder. Unpacks everything next to the existing installation, verifies it, opens the
 * database once, and only then replaces what is there. The next start undoes or completes a killed restore. The
 * installation gets a new id, so that it can exist beside the original.
 */
export async function restoreBackup(options: Options): Promise<Restored> {
  const { layout, existing, say } = options
  await lstat(options.file)
  await mkdir(layout.dataDir, { recursive: true })
  const lock = lockData(layout.dataDir)
  try {
    await completePending(layout, say)
    const present = await listInstallation(layout)
    const logs = [layout.log, layout.earlierLog]
    const occupied = present.some((path) => !logs.includes(path))
    if (occupied && existing === 'keep') {
      throw new StartRefused(
        `There is an installation in ${layout.dataDir} already. --force replaces it by the backup; --data DIR names another folder.`,
      )
    }
    const id = newInstallationId()
    const database = await databaseFolderOf(layout.dataDir, id)
    const header = await unpackBeside({ ...options, database })
    const parts: string[] = [...logs, layout.record, ...dataParts.map((part) => join(layout.dataDir, part))]
    await carryOut(layout, { action: 'restore', id, database, remove: present.filter((path) => !parts.includes(path)) })
    return { id, header, databaseFolder: database }
  } finally {
    lock.release()
  }
}

async function unpackBeside({ layout, file, clock, log, say, onProgress, database }: Options & { database: string }) {
  const { restoring } = layout
  const { cluster } = databaseLayout(database)
  const version = await postgresVersion()
  let header: Header | undefined
  try {
    await mkdir(restoring, { mode: 0o700 })
    await writeStaging(layout, database)
    await makeDatabaseFolder(database)
    await mkdir(join(restoring, 'daemons'), { mode: 0o700 })
    await mkdir(join(restoring, 'images'))
    await unpackArchive({
      file,
      onProgress,
      onHeader: (found) => {
        header = found
        if (found.postgres !== version || found.architecture !== process.arch) {
          const [theirs, ours] = [found, { postgres: version, architecture: process.arch }].map(describe)
          throw new UnusableBackup(file, `its database is of ${theirs}, and this platform runs ${ours}`)
        }
        say(`The backup is of ${found.createdAt}, of the installation ${found.id}.`)
      },
      placeOf: ([area = '', part = '', ...rest]) => {
        if (area === 'database') return join(cluster, part, ...rest)
        return area === 'data' && isDataPart(part) ? join(restoring, part, ...rest) : undefined
      },
    })
    if (header === undefined || (await readSecrets(join(restoring, 'secrets.json'))) === undefined)
      throw new UnusableBackup(file, 'it is incomplete')
    await chmod(cluster, 0o700)
    say('Opening the database once.')
    const postgres = await startPostgres({ folder: database, clock, log })
    await postgres.stop()
    await run('sync') // before anything is replaced, what replaces it is on the disk
    return header
  } catch (error) {
    await rm(database, { recursive: true, force: true })
    await rm(restoring, { recursive: true, force: true }) // last: it says where the database is
    throw error
  }
}

const describe = ({ postgres, architecture }: { postgres: string; architecture: string }) =>
  `Postgres ${postgres} on ${architecture}`

const isDataPart = (name: string) => dataParts.some((part) => part === name)
