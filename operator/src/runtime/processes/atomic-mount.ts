import { randomBytes } from 'node:crypto'
import { mkdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const DATA = '..data'

/**
 * Gives a directory these files atomically, as a kubelet mounts a Secret: the names are links through `..data`, which
 * one rename switches to the new set.
 */
export async function writeMount(dir: string, files: Record<string, string>): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const version = `..${randomBytes(8).toString('hex')}`
  await mkdir(join(dir, version), { mode: 0o700 })
  for (const [name, content] of Object.entries(files))
    await writeFile(join(dir, version, name), content, { mode: 0o600, flush: true })

  const before = await readlink(join(dir, DATA)).catch(() => undefined)
  await symlink(version, join(dir, `${version}.link`))
  await rename(join(dir, `${version}.link`), join(dir, DATA))
  for (const name of Object.keys(files)) await symlink(join(DATA, name), join(dir, name)).catch(ignoreExisting)
  if (before !== undefined) await rm(join(dir, before), { recursive: true, force: true })
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
