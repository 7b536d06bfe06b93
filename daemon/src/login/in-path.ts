import { realpath } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** True if a shell of the person runs this very program as `svcd`. Folders that npm adds for one run do not count. */
export async function isInPath(script: string, searchPath: string): Promise<boolean> {
  const own = await realpath(script)
  for (const folder of searchPath.split(delimiter)) {
    if (folder === '' || folder.includes('_npx') || folder.includes('node_modules')) continue
    const found = await realpath(join(folder, 'svcd')).catch(() => undefined)
    if (found !== undefined) return found === own
  }
  return false
}
