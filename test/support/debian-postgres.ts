import { chmod, cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { debianPackage } from './debian-package.ts'

const VERSION = '15'
const PROGRAMS = `usr/lib/postgresql/${VERSION}/bin`
const USED = ['initdb', 'postgres', 'pg_dump', 'pg_restore']

/**
 * The folder with the programs of Debian's Postgres, which has the `pg_dump` and `pg_restore` that the npm package
 * lacks. Uses the installed programs of this machine if there are any. Otherwise unpacks the package to a folder that
 * the database user can read, with a script for each program that sets its library path.
 */
export async function debianPostgres(folder: string): Promise<string> {
  const installed: string[] = await readdir(`/${PROGRAMS}`).catch(() => [])
  if (USED.every((name) => installed.includes(name))) return `/${PROGRAMS}`

  const root = join(folder, 'debian')
  await cp(await debianPackage(`postgresql-${VERSION}`), root, { recursive: true, verbatimSymlinks: true })
  await chmod(root, 0o755)
  const libraries = await readdir(join(root, 'usr/lib'), { withFileTypes: true })
  const path = libraries
    .filter((entry) => entry.isDirectory() && entry.name.endsWith('-linux-gnu'))
    .map(({ name }) => join(root, 'usr/lib', name))
  const scripts = join(folder, 'programs')
  await mkdir(scripts, { mode: 0o755 })
  for (const name of USED) {
    const script = `#!/bin/sh\nLD_LIBRARY_PATH=${path.join(':')} exec ${join(root, PROGRAMS, name)} "$@"\n`
    await writeFile(join(scripts, name), script, { mode: 0o755 })
  }
  return scripts
}
