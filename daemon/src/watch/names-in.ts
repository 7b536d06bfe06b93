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

/** The names of files in a folder that pass a test by number. What lies in folders below is passed over. */
export function* filesIn(
  files: RememberedFiles,
  folder: string,
  isMeant: (number: number) => boolean,
): Generator<string> {
  const prefix = folder === '' ? '' : `${folder}/`
  let number = files.firstAtOrAfter(prefix)
  while (number < files.count) {
    const path = files.path(number)
    if (!path.startsWith(prefix)) return
    const slash = path.indexOf('/', prefix.length)
    // What lies in a folder ends before the first name with the character behind the slash.
    if (slash !== -1) number = files.firstAtOrAfter(`${path.slice(0, slash)}0`)
    else if (isMeant(number++)) yield path.slice(prefix.length)
  }
}
