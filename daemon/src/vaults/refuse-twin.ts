import { fail } from '@svc/shared/wire/errors.ts'
import type { FileRoot } from '../files/file-root.ts'
import { withFileFailures } from '../files/fs-failure.ts'
import { inFolder, openFolder } from '../files/open-folder.ts'
import { exists } from '../files/place-file.ts'
import { twinFinder } from '../files/path-twins.ts'
import { identityKey } from '../files/vault-path.ts'

/**
 * Refuses a new path whose first missing name differs from a neighbour only in case or normal form: on another file
 * system the two would be one file, and one would overwrite the other. `except` is a file that is about to be renamed.
 */
export async function refuseTwin(root: FileRoot, path: string, { except }: { except?: string } = {}): Promise<void> {
  const segments = path.split('/')
  for (const [depth, segment] of segments.entries()) {
    const parents = segments.slice(0, depth)
    const isThere = await inFolder(openFolder(root, parents), async (folder) => {
      if (await withFileFailures(() => exists(root.disk, folder.at(segment)))) return true
      const names = await withFileFailures(() => root.disk.readdir(folder.at('.')))
      const twin = names.find(twinFinder(identityKey(segment)))
      const existing = [...parents, twin].join('/')
      const isRenamed = existing === except && depth === segments.length - 1
      if (twin !== undefined && !isRenamed) throw fail('path_conflict', { existing })
      return false
    })
    if (!isThere) return
  }
}
