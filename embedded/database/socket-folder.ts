import { createHash } from 'node:crypto'
import { lstat, mkdtemp, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { runsAsRoot, SHARED_FOLDER } from '../installation/places.ts'
import { ownFolder, type Owner } from './own-folder.ts'

// Unix socket paths end at 107 bytes (sun_path); the socket's own name takes 17 of them.
const LONGEST = 88
const PREFIX = 'svc-postgres-'

/** A folder for the socket of a server. A temporary one is removed when the server has ended. */
export type SocketFolder = { path: string; temporary: boolean }

/**
 * A folder that only the database user (and root) can enter: beside the database or, where that path is too long for a
 * socket, a new folder with a random name, which nobody can have created before.
 */
export async function socketFolder(databaseFolder: string, owner: Owner): Promise<SocketFolder> {
  const beside = join(databaseFolder, 'run')
  if (Buffer.byteLength(beside) <= LONGEST) {
    await rm(beside, { recursive: true, force: true }) // it may belong to the uid of an earlier run
    await ownFolder(beside, { owner, mode: 0o700 })
    return { path: beside, temporary: false }
  }
  if (runsAsRoot()) {
    await ownFolder(SHARED_FOLDER, { mode: 0o711 }) // nobody else can create anything in it
    const path = join(SHARED_FOLDER, PREFIX + createHash('sha256').update(databaseFolder).digest('hex').slice(0, 12))
    await rm(path, { recursive: true, force: true })
    await ownFolder(path, { owner, mode: 0o700 })
    return { path, temporary: true }
  }
  return { path: await mkdtemp(join(await baseFolder(), PREFIX)), temporary: true }
}

/** The system's run-time folder of this user, otherwise /tmp. */
async function baseFolder(): Promise<string> {
  const uid = process.getuid?.()
  const runtime = `/run/user/${uid}`
  const found = await lstat(runtime).catch(() => undefined)
  return found?.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0 ? runtime : '/tmp'
}

/** Removes the temporary folder of a server that has ended or was killed; any other path stays. */
export async function removeSocketFolder(path: string, owner: Owner): Promise<void> {
  const bases = [SHARED_FOLDER, '/tmp', `/run/user/${process.getuid?.()}`]
  if (!basename(path).startsWith(PREFIX) || !bases.includes(dirname(path))) return
  const found = await lstat(path).catch(() => undefined)
  const ours = [process.getuid?.(), owner?.uid]
  if (found?.isDirectory() && ours.includes(found.uid)) await rm(path, { recursive: true })
}
