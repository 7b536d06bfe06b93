import { nameKey, type FileNames } from '../links/file-names.ts'
import type { Pause } from '../watch/slices.ts'

/** The new paths of the files of a move, by their paths before it. */
export type MovedFiles = ReadonlyMap<string, string>

/** The names of a vault as they will be after a move. Pure: it only reads the present names. */
export async function namesAfter(
  names: Pick<FileNames, 'named'>,
  moved: MovedFiles,
  pause: Pause,
): Promise<Pick<FileNames, 'named'>> {
  const added = new Map<string, string[]>()
  for (const path of moved.values()) {
    const key = nameKey(path)
    const known = added.get(key)
    if (known) known.push(path)
    else added.set(key, [path])
    await pause()
  }
  return {
    named(key) {
      const stay = names.named(key).filter((path) => !moved.has(path))
      return stay.concat(added.get(key) ?? [])
    },
  }
}
