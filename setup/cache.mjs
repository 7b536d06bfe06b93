// The folder in which setup and tests keep what they downloaded or unpacked: one folder per kind, shared by all clones
// of one user.
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = dirname(dirname(fileURLToPath(import.meta.url)))

/** Whether this user can create files there; creates the folder if it is missing. */
function isWritable(folder) {
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** The home folder of the user; undefined for a user without a name and without HOME, as in a container. */
function userHome() {
  try {
    return process.env.HOME ? homedir() : userInfo().homedir
  } catch {
    return undefined
  }
}

/**
 * The user's cache folder. For a user without a writable home (a service account, HOME set to nothing) it is in the
 * repository.
 */
export function userCache() {
  const home = userHome()
  const candidates = [process.env.XDG_CACHE_HOME, home && join(home, '.cache')]
  return candidates.find((folder) => folder && isWritable(folder)) ?? join(repository, '.cache')
}

/**
 * Path of one thing in the cache of this project; its parent exists.
 * @param {string} name
 */
export function cached(name) {
  const path = join(userCache(), 'svc-platform', name)
  mkdirSync(dirname(path), { recursive: true })
  return path
}

/**
 * Folder of the cache that `fill` makes once. It gets an empty folder beside it, which takes the name when it is
 * complete: neither a crash nor a second process leaves half of it.
 * @param {string} name
 * @param {(folder: string) => void | Promise<void>} fill
 */
export async function cachedOnce(name, fill) {
  const path = cached(name)
  if (existsSync(path)) return path

  const folder = mkdtempSync(`${path}-`)
  try {
    await fill(folder)
    renameSync(folder, path)
  } catch (error) {
    if (!existsSync(path)) throw error // another process was faster
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return path
}
