/**
 * The paths that somebody may have meant who asked for one that is not there: the same path but for case, a missing ending,
 * or what stands before it, then files of the same name elsewhere. Linear in the number of paths. Pure.
 */
export function similarPaths(paths: Iterable<string>, asked: string, most: number): string[] {
  const wanted = plain(asked)
  const name = nameOf(wanted)
  if (name === '') return []
  const [same, namesakes]: [string[], string[]] = [[], []]
  for (const path of paths) {
    const one = plain(path)
    if (one === wanted || wanted.endsWith(`/${one}`)) same.push(path)
    else if (nameOf(one) === name && namesakes.length < most) namesakes.push(path)
  }
  // The longest one agrees with most of what was asked for.
  return [...same.sort((a, b) => b.length - a.length), ...namesakes].slice(0, most)
}

/** A path without what programs write differently: case, normal form, ending, separators, brackets, anchor. */
function plain(path: string): string {
  const text = path.normalize('NFC').toLowerCase().replaceAll('\\', '/').replaceAll('%2f', '/').replaceAll('%20', ' ')
  const [file = ''] = text.replaceAll(/[[\]]/g, '').split('#')
  const segments = file.split('/').map((segment) => segment.trim())
  return segments
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '..')
    .join('/')
    .replace(/\.md$/, '')
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
