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
 * The names of files in a folder that pass a test by number. What lies in folders below is passed over, and no path is
 * read of a file that does not pass: after a mass deletion these are most of them.
 */
export function* filesIn(
  files: RememberedFiles,
  folder: string,
  isMeant: (number: number) => boolean,
): Generator<string> {
  const prefix = folder === '' ? '' : `${folder}/`
  let number = files.firstAtOrAfter(prefix)
  // What lies in a folder ends before the first name with the character behind the slash.
  const endOf = (path: string) => files.firstAtOrAfter(`${path}0`)
  const end = folder === '' ? files.count : endOf(folder)
  while (number < end) {
    if (!isMeant(number)) {
      number++
      continue
    }
    const path = files.path(number)
    const slash = path.indexOf('/', prefix.length)
    if (slash !== -1) number = endOf(path.slice(0, slash))
    else {
      number++
      yield path.slice(prefix.length)
    }
  }
}
