import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

// Syncs at the same time share a write of the journal.
const AT_ONCE = 16

/**
 * Makes a new folder with all of its content durable. A file system may write the rename of a folder before the content
 * of its files, so a folder that is renamed into place is synced first. Skips everything but files and folders.
 */
export async function syncTree(path: string): Promise<void> {
  const left = await filesAndFolders(path)
  const work = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) await sync(next)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

async function filesAndFolders(path: string): Promise<string[]> {
  const found = await lstat(path)
  if (!found.isDirectory()) return found.isFile() ? [path] : []
  const below = await Promise.all((await readdir(path)).map((name) => filesAndFolders(join(path, name))))
  return [path, ...below.flat()]
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
