import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

const FOLDERS = ['', 'refs', 'refs/heads', 'objects/info', 'objects/info/commit-graphs', 'objects/pack']
const LEFT = /\.lock$|^tmp_|^\.tmp-|^fast_import_crash_/

/**
 * Removes what a failed or killed git left in its directory: locks, and temporary files that may be as large as the
 * whole history. No git may be at work there.
 */
export async function clearGitLeftovers(gitDir: string): Promise<void> {
  for (const folder of FOLDERS) {
    const path = join(gitDir, folder)
    for (const name of await namesIn(path)) if (LEFT.test(name)) await rm(join(path, name), { force: true })
  }
}

/** As `clearGitLeftovers`, for all git directories in a folder. */
export async function clearLeftoversOfAll(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) if (name.endsWith('.git')) await clearGitLeftovers(join(folder, name))
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])
