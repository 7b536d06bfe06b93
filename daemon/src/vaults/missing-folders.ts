import { isFailure } from '@svc/shared/wire/errors.ts'
import type { FileRoot } from '../files/file-root.ts'
import { openFolder } from '../files/open-folder.ts'

/** The missing folders that these paths need, parents first. */
export async function missingFolders(root: FileRoot, paths: readonly string[]): Promise<string[]> {
  const needed = new Set<string>()
  for (const path of paths) {
    const segments = path.split('/').slice(0, -1)
    for (const depth of segments.keys()) needed.add(segments.slice(0, depth + 1).join('/'))
  }
  const missing: string[] = []
  for (const folder of [...needed].toSorted()) if (!(await isFolder(root, folder))) missing.push(folder)
  return missing
}

async function isFolder(root: FileRoot, path: string): Promise<boolean> {
  try {
    const folder = await openFolder(root, path.split('/'))
    await folder.close()
    return true
  } catch (error) {
    if (isFailure(error, 'not_found')) return false
    throw error
  }
}
