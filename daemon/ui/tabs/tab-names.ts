import { withoutExtension } from '../links/link-index.ts'

/** Names of tabs: the name of the file, with its folder if two files have the same name. */
export function tabNames(paths: readonly string[]): string[] {
  const names = paths.map((path) => withoutExtension(path.split('/').at(-1)!))
  return names.map((name, nth) => {
    const folder = paths[nth]!.split('/').at(-2)
    const isAlone = names.filter((other) => other === name).length === 1
    return isAlone || folder === undefined ? name : `${folder}/${name}`
  })
}
