import { cp, mkdir, readdir, readlink, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { dependencyFingerprint, INSTALLED_MARKER } from '../../setup/ensure.mjs'

const LEFT_OUT = new Set(['node_modules', 'dist', '.data', '.git', '.cache'])

/**
 * Copies the sources of the work tree to a folder, and links the installed packages, so that setup has nothing to
 * install there. Only third-party packages are shared; the links to our own parts lead into the copy.
 */
export async function copyWorkTree(root: string, target: string): Promise<void> {
  await cp(root, target, { recursive: true, filter: (path) => path === root || !LEFT_OUT.has(basename(path)) })
  const [from, to] = [join(root, 'node_modules'), join(target, 'node_modules')]
  for (const folder of ['.bin', '@svc']) {
    await mkdir(join(to, folder), { recursive: true })
    for (const name of await readdir(join(from, folder)))
      await symlink(await readlink(join(from, folder, name)), join(to, folder, name))
  }
  for (const name of await readdir(from))
    if (name !== '@svc' && !name.startsWith('.')) await symlink(join(from, name), join(to, name))
  await symlink(join(root, 'control-plane/node_modules'), join(target, 'control-plane/node_modules'))
  await writeFile(join(target, INSTALLED_MARKER), `${dependencyFingerprint()}\n`)
}
