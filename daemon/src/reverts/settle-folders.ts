/** A folder that goes back to its old path; without `to`, a folder that is removed if everything in it leaves. */
type Folder = {
  path: string
  to: string | undefined
  /** What is at its old path. */
  there: 'free' | 'folder' | 'taken' | 'unusable'
  /** The names of everything that is in it now. */
  names: readonly string[]
}

type Settled<F> = {
  /** Folders that come back; those with `isEmptied` are removed at their present path. */
  met: { folder: F; isEmptied: boolean }[]
  unmet: F[]
}

/**
 * Decides which folders come back, and which of them are empty at their present path when everything else is back.
 * `leaving` are the paths that become free, `arriving` the paths that are taken. For a folder that exists at its old
 * path and cannot leave its present one, there is nothing to do. Pure.
 */
export function settleFolders<F extends Folder>(
  folders: readonly F[],
  { leaving, arriving }: { leaving: ReadonlySet<string>; arriving: readonly string[] },
): Settled<F> {
  const unmet = folders.filter(({ there }) => there === 'taken' || there === 'unusable')
  const open = folders.filter((folder) => !unmet.includes(folder))
  const targets = new Set<string>()
  for (const path of [...arriving, ...open.flatMap(({ to }) => to ?? [])]) {
    const segments = path.split('/')
    for (const depth of segments.keys()) targets.add(segments.slice(0, depth + 1).join('/'))
  }
  const emptied = new Set<string>()
  // Deeper paths are longer.
  for (const { path, to, names } of open.toSorted((a, b) => b.path.length - a.path.length)) {
    const isLeft = names.every((name) => leaving.has(`${path}/${name}`) || emptied.has(`${path}/${name}`))
    // A folder that was empty before does not belong to this revert.
    if (isLeft && !targets.has(path) && (to !== undefined || names.length > 0)) emptied.add(path)
  }
  const met = open.flatMap((folder) => {
    const isEmptied = emptied.has(folder.path)
    return isEmptied || (folder.to !== undefined && folder.there === 'free') ? [{ folder, isEmptied }] : []
  })
  return { met, unmet }
}
