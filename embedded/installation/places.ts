import { stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { randomBase32 } from '@svc/shared/wire/new-id.ts'

/** Id of an installation. It is short, because it names the database folder, whose path must fit into a socket path. */
export const InstallationId = z.string().regex(/^ins_[a-z2-7]{12}$/, 'must be an installation id (ins_…)')

export const newInstallationId = () => `ins_${randomBase32(12)}`

/** Folder of databases that cannot be in their data folder, and of the programs that run them. Owned by root. */
export const SHARED_FOLDER = '/var/lib/svc-platform'

/** The parts of one data folder. */
export function dataLayout(dataDir: string) {
  return {
    dataDir,
    record: join(dataDir, 'installation.json'),
    secrets: join(dataDir, 'secrets.json'),
    daemons: join(dataDir, 'daemons'),
    images: join(dataDir, 'images'),
    log: join(dataDir, 'platform.log'),
    /** What the log had before it became too large. */
    earlierLog: join(dataDir, 'platform.1.log'),
    /** A change that a killed process may have left incomplete; the next start completes it. */
    pending: join(dataDir, 'pending.json'),
    restoring: join(dataDir, 'restoring'),
    /** The database with this id, if it is in the data folder. */
    database: (id: string) => join(dataDir, `postgres-${id}`),
    legacyDatabase: join(dataDir, 'postgres'),
  }
}

export type DataLayout = ReturnType<typeof dataLayout>

/** The parts of one database folder. */
export function databaseLayout(folder: string) {
  return {
    folder,
    record: join(folder, 'installation.json'),
    secrets: join(folder, 'secrets.json'),
    cluster: join(folder, 'data'),
  }
}

export const runsAsRoot = () => process.getuid?.() === 0

/** True when users other than the owner can traverse every folder down to this one. */
export async function openToOthers(path: string): Promise<boolean> {
  for (let folder = resolve(path); folder !== dirname(folder); folder = dirname(folder)) {
    const found = await stat(folder).catch(() => undefined)
    if (found !== undefined && (found.mode & 0o001) === 0) return false
  }
  return true
}

/**
 * The folder of a database: in the data folder, or under `SHARED_FOLDER` when the platform runs as root and its
 * database user could not reach the data folder (a clone below a closed home).
 */
export async function databaseFolderOf(dataDir: string, id: string): Promise<string> {
  const reachable = !runsAsRoot() || (await openToOthers(dataDir))
  return reachable ? dataLayout(dataDir).database(id) : join(SHARED_FOLDER, id)
}
