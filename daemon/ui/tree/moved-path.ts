/** True for a path and everything below it. */
export const isAtOrBelow = (path: string, above: string): boolean => path === above || path.startsWith(`${above}/`)

/** The path after a move of the file itself or of a folder above it. */
export function movedPath(path: string, { from, to }: { from: string; to: string }): string {
  return isAtOrBelow(path, from) ? to + path.slice(from.length) : path
}

/** The path of a file in another folder; the vault itself is the folder ''. */
export function pathInFolder(path: string, folder: string): string {
  const name = path.split('/').at(-1)!
  return folder === '' ? name : `${folder}/${name}`
}

/** The part of a path that a person edits to rename it: the last name, without a note's ending. */
export function renameRange(path: string): [number, number] {
  const begin = path.lastIndexOf('/') + 1
  const ending = /\.(?:md|markdown)$/i.exec(path)
  return [begin, ending ? ending.index : path.length]
}

/** The path that somebody typed, without the blanks and slashes around it. */
export const typedPath = (typed: string): string =>
  typed
    .split('/')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .join('/')
