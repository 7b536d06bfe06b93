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
