import { readdir } from 'node:fs/promises'
import { fail } from '@svc/shared/wire/errors.ts'
import { identityKey } from '../vaults/vault-path.ts'
import { exists } from './durable-file.ts'
import { openFolder } from './open-folder.ts'

/**
 * Refuses a new path whose first missing name differs from a neighbour only in case or normal form: on another file
 * system the two would be one file, and one would overwrite the other.
 */
export async function refuseTwin(root: string, path: string): Promise<void> {
  const segments = path.split('/')
  for (const [depth, segment] of segments.entries()) {
    const parents = segments.slice(0, depth)
    const folder = await openFolder(root, parents)
    try {
      if (await exists(folder.at(segment))) continue
      const key = identityKey(segment)
      const twin = (await readdir(folder.at('.'))).find((name) => identityKey(name) === key)
      if (twin !== undefined) throw fail('path_conflict', { existing: [...parents, twin].join('/') })
      return
    } finally {
      await folder.close()
    }
  }
}
