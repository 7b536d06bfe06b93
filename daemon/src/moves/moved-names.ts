import { namedFile, nameKey, type FileNames, type NamedFile } from '../links/file-names.ts'
import type { Pause } from '../watch/slices.ts'

/** The new paths of the files of a move, by their paths before it. */
export type MovedFiles = ReadonlyMap<string, string>

// Thousands of links may mean one of thousands of files of one name: a list of more files is kept for the next link.
const MANY = 16

/** The names of a vault as they will be after a move, for as long as its names stay. Pure: it only reads them. */
export async function namesAfter(
  names: Pick<FileNames, 'named'>,
  moved: MovedFiles,
  pause: Pause,
): Promise<Pick<FileNames, 'named'>> {
  const added = new Map<string, NamedFile[]>()
  for (const path of moved.values()) {
    const key = nameKey(path)
    const known = added.get(key)
    if (known) known.push(namedFile(path))
    else added.set(key, [namedFile(path)])
    await pause()
  }
  const known = new Map<string, readonly NamedFile[]>()
  return {
    named(key) {
      const list = known.get(key)
      if (list) return list
      const stay = Array.from(names.named(key)).filter(({ path }) => !moved.has(path))
      const files = stay.concat(added.get(key) ?? [])
      if (files.length > MANY) known.set(key, files)
      return files
    },
  }
}
