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
 * The names of the files in a folder that are there: 1 by number. They are those of the moment of the call, however slowly the
 * names are gone through. What lies in folders below is passed over, and no path is read of a file that is gone: after a
 * mass deletion these are most of them.
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

/** What lies in a folder ends before the first name with the character behind the slash. */
const endOf = (files: RememberedFiles, folder: string): number => files.firstAtOrAfter(`${folder}0`)

/** Names of two kinds, one after the other. */
export function* allOf(first: Iterable<string>, second: Iterable<string>): Generator<string> {
  yield* first
  yield* second
}

export const isNone = (names: Iterable<string>): boolean => names[Symbol.iterator]().next().done === true
