import { chmod, cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { debianPackage } from './debian-package.ts'

const VERSION = '15'
const PROGRAMS = `usr/lib/postgresql/${VERSION}/bin`
const USED = ['initdb', 'postgres', 'pg_dump', 'pg_restore']

/**
 * Folder of the programs of Debian's Postgres. It has `pg_dump` and `pg_restore` of the server's version, which the npm
 * package lacks. Uses those of this machine, otherwise unpacked ones: copied to where the database user can read them,
 * each behind a script that sets the path of its libraries.
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
