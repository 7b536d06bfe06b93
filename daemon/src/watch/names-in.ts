import type { RememberedFiles } from './remembered.ts'

/** The names in a folder: of files, and of folders with files. */
export function* namesIn(files: RememberedFiles, folder: string): Generator<string> {
  const prefix = `${folder}/`
  let last: string | undefined
  for (let number = files.firstAtOrAfter(prefix); number < files.count; number++) {
    const path = files.path(number)
    if (!path.startsWith(prefix)) return
    const slash = path.indexOf('/', prefix.length)
    const name = path.slice(prefix.length, slash === -1 ? undefined : slash)
    if (name !== last) yield name
    last = name
  }
}

/**
 * The names of the existing files in a folder (1 in `isThere`, by number), as of the call, however slowly the caller
 * reads them. Skips the content of sub-folders. Does not read the path of a file that is gone: after a mass deletion
 * most files are.
 */
export function filesIn(files: RememberedFiles, folder: string, isThere: Uint8Array): Generator<string> {
  const prefix = folder === '' ? '' : `${folder}/`
  const first = files.firstAtOrAfter(prefix)
  const end = folder === '' ? files.count : endOf(files, folder)
  return namesBehind({ files, prefix, first, isThere: isThere.slice(first, end) })
}

type Part = { files: RememberedFiles; prefix: string; first: number; isThere: Uint8Array }

function* namesBehind({ files, prefix, first, isThere }: Part): Generator<string> {
  const end = first + isThere.length
  for (let number = first; number < end;) {
    if (isThere[number - first] !== 1) {
      number++
      continue
    }
    const path = files.path(number)
    const slash = path.indexOf('/', prefix.length)
    if (slash !== -1) number = endOf(files, path.slice(0, slash))
    else {
      number++
      yield path.slice(prefix.length)
    }
  }
}

/** The number of the first file after a folder's content: `0` is the character after the slash. */
const endOf = (files: RememberedFiles, folder: string): number => files.firstAtOrAfter(`${folder}0`)

/** The names of the first list, then those of the second. */
export function* allOf(first: Iterable<string>, second: Iterable<string>): Generator<string> {
  yield* first
  yield* second
}

export const isNone = (names: Iterable<string>): boolean => names[Symbol.iterator]().next().done === true
