import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

const FOLDERS = ['', 'refs', 'refs/heads', 'objects/info', 'objects/info/commit-graphs', 'objects/pack']
const LEFT = /\.lock$|^tmp_|^\.tmp-|^fast_import_crash_/

/**
 * Removes what a failed or killed git left in its directory: locks, and temporary files that may be as large as the
 * whole history. No git may be at work there. Rejects when something cannot be removed, after it has removed the rest.
 */
export async function clearGitLeftovers(gitDir: string): Promise<void> {
  let failure: unknown
  for (const folder of FOLDERS) {
    const path = join(gitDir, folder)
    for (const name of await readdir(path).catch(() => []))
      if (LEFT.test(name)) await rm(join(path, name), { force: true }).catch((error: unknown) => (failure ??= error))
  }
  if (failure !== undefined) throw failure
}

/**
 * As `clearGitLeftovers`, for all git directories in a folder; a link may lead to a repository of the user, which is
 * never touched. What cannot be removed stays: it must not end the start, and the history of its vault reports it.
 */
export async function clearLeftoversOfAll(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => []))
    if (entry.isDirectory() && entry.name.endsWith('.git'))
      await clearGitLeftovers(join(folder, entry.name)).catch(() => {})
}
