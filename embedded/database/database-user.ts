import { createHash } from 'node:crypto'
import { lchown, lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { databaseLayout, runsAsRoot, SHARED_FOLDER } from '../installation/places.ts'
import { commandOf, listProcesses } from './process-table.ts'
import type { Owner } from './own-folder.ts'

// Postgres refuses to run as root. These uids belong to no user, group or dynamic service (uids above 65535 may be
// missing in a container), so a database can have one that no other process uses.
const FIRST = 60_578
const LAST = 61_183

/**
 * The user that runs the database of this folder: our own, or for root a uid without a name that runs no other process
 * and owns no other database. The database keeps its uid while that is true.
 */
export async function databaseUser(folder: string): Promise<Owner> {
  if (!runsAsRoot()) return undefined

  const taken = await takenNumbers(folder)
  const current = await lstat(databaseLayout(folder).cluster).catch(() => undefined)
  const count = LAST - FIRST + 1
  const start = createHash('sha256').update(folder).digest().readUInt32BE() % count
  const numbers = Array.from({ length: count }, (_, index) => FIRST + ((start + index) % count))
  const preferred = current && numbers.includes(current.uid) ? [current.uid, ...numbers] : numbers
  const uid = preferred.find((number) => !taken.has(number))
  if (uid === undefined) throw new Error(`Every user number from ${FIRST} to ${LAST} is taken`)
  return { uid, gid: uid }
}

async function takenNumbers(folder: string): Promise<Set<number>> {
  const named = await Promise.all(['/etc/passwd', '/etc/group'].map((path) => readFile(path, 'utf8').catch(() => '')))
  const taken = new Set(named.flatMap((text) => text.split('\n').map((line) => Number(line.split(':')[2]))))

  const { cluster } = databaseLayout(folder)
  for (const { pid, parent, uids } of (await listProcesses()) ?? []) {
    if (uids.every((uid) => uid < FIRST || uid > LAST)) continue
    // Ignore a server of this cluster that is shutting down. The title of a server names its cluster. The title of its
    // children names their work, so look at the parent, too.
    const commands = await Promise.all([pid, parent].map(commandOf))
    if (!commands.some((command) => command.includes(cluster))) for (const uid of uids) taken.add(uid)
  }
  for (const name of await readdir(SHARED_FOLDER).catch(() => [])) {
    const other = join(SHARED_FOLDER, name)
    const owner = other === folder ? undefined : await lstat(databaseLayout(other).cluster).catch(() => undefined)
    if (owner !== undefined) taken.add(owner.uid)
  }
  return taken
}

/**
 * Changes the owner of a folder with its content. The folder itself comes last: its owner shows that the change is
 * complete.
 */
export async function giveFolder(path: string, owner: Owner): Promise<void> {
  if (owner === undefined || (await lstat(path)).uid === owner.uid) return
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true }))
    await lchown(join(entry.parentPath, entry.name), owner.uid, owner.gid)
  await lchown(path, owner.uid, owner.gid)
}
