import { withoutExtension } from '../links/link-index.ts'

/** What tabs are called: the name of the file, and its folder where two files have one name. */
export function tabNames(paths: readonly string[]): string[] {
  const names = paths.map((path) => withoutExtension(path.split('/').at(-1)!))
  return names.map((name, nth) => {
    const folder = paths[nth]!.split('/').at(-2)
    const isAlone = names.filter((other) => other === name).length === 1
    return isAlone || folder === undefined ? name : `${folder}/${name}`
  })
}
