import { lstat, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import pg from 'pg'
import { databaseAddress } from '../database/postmaster.ts'
import type { ArchiveWriter } from './archive-writer.ts'

const NAME = 'database'

// Files of one run of the server: the next run recreates them.
const RUNTIME = /^(postmaster\.(pid|opts)|pg_internal\.init|pgsql_tmp.*|backup_label\.old)$/
// Folders that Postgres expects, but whose content does not belong in a copy of a running server; its log is added at
// the end.
const EMPTIED = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]

/** Copies the cluster of a stopped server. */
export const copyStoppedDatabase = (archive: ArchiveWriter, cluster: string) => copyTree(archive, NAME, cluster, [])

type Running = { archive: ArchiveWriter; cluster: string; socket: string }

/**
 * Copies the cluster of a running server as pg_basebackup does: files as they are, then the write-ahead log that makes
 * them one state. That state is the time at which `atEnd` calls its argument.
 */
export async function copyRunningDatabase(
  { archive, cluster, socket }: Running,
  atEnd: (fix: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseAddress(socket, 'postgres').reveal() })
  client.on('error', () => {}) // the next statement fails
  await client.connect()
  try {
    // Reserves the log that the copy needs, as long as this connection is open.
    await client.query('select pg_create_physical_replication_slot($1, true, true)', [`svc_backup_${process.pid}`])
    const begun = await client.query(`select pg_walfile_name(pg_backup_start('svc backup', true)) as segment`)
    await copyTree(archive, NAME, cluster, EMPTIED)

    let ended = { segment: '', label: '', spaces: '' }
    await atEnd(async () => {
      const { rows } = await client.query(
        'select pg_walfile_name(lsn) as segment, labelfile as label, spcmapfile as spaces from pg_backup_stop(false)',
      )
      ended = rows[0]
    })
    await archive.addBytes(`${NAME}/backup_label`, ended.label)
    if (ended.spaces !== '') throw new Error('The database uses tablespaces, which a backup does not hold')
    for (const segment of await segmentsBetween(cluster, begun.rows[0].segment, ended.segment))
      await archive.addFile(`${NAME}/pg_wal/${segment}`, join(cluster, 'pg_wal', segment))
  } finally {
    await client.end()
  }
}

/** Major version of the Postgres that wrote a cluster. */
export const VERSION_FILE = 'PG_VERSION'

async function segmentsBetween(cluster: string, first: string, last: string): Promise<string[]> {
  const names = await readdir(join(cluster, 'pg_wal'))
  return names.filter((name) => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last).toSorted()
}

/** The control file comes last, as in Postgres' own tool: nothing before it is newer than it says. */
async function copyTree(archive: ArchiveWriter, name: string, path: string, emptied: string[]): Promise<void> {
  const stats = await lstat(path, { bigint: true })
  await archive.addDirectory(name, stats)
  const entries = (await readdir(path, { withFileTypes: true })).filter((entry) => !RUNTIME.test(entry.name))
  const last = (entry: { name: string }) => (entry.name === 'global' || entry.name === 'pg_control' ? 1 : 0)
  for (const entry of entries.toSorted((one, other) => last(one) - last(other))) {
    const below = `${name}/${entry.name}`
    if (entry.isDirectory()) {
      if (!emptied.includes(entry.name)) await copyTree(archive, below, join(path, entry.name), emptied)
      else await copyFolders(archive, below, join(path, entry.name))
    } else if (entry.isFile()) await archive.addFile(below, join(path, entry.name)).catch(ifGone)
  }
}

async function copyFolders(archive: ArchiveWriter, name: string, path: string): Promise<void> {
  await archive.addDirectory(name, await lstat(path, { bigint: true }))
  if (basename(path) !== 'pg_wal') return
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory())
      await archive.addDirectory(`${name}/${entry.name}`, await lstat(join(path, entry.name), { bigint: true }))
}

/** A running server may delete files of tables; its log covers that. */
function ifGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
