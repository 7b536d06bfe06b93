import { constants } from 'node:fs'
import type { FileRoot } from './file-root.ts'
import { errnoOf, withFileFailures } from './fs-failure.ts'
import { inFolder, openFolder } from './open-folder.ts'
import { splitPath } from './vault-path.ts'

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Makes a file and its name durable, whoever wrote it. Returns false when it is gone. */
export function syncFile(root: FileRoot, path: string): Promise<boolean> {
  const { folders, name } = splitPath(path)
  return withFileFailures(() =>
    inFolder(openFolder(root, folders), async (folder) => {
      try {
        const handle = await root.disk.open(folder.at(name), READ)
        await handle.sync().finally(() => handle.close())
      } catch (error) {
        if (errnoOf(error) === 'ENOENT') return false
        throw error
      }
      await folder.sync()
      return true
    }),
  )
}
