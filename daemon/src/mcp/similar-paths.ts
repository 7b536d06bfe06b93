import type { Pause } from '../watch/slices.ts'

// Paths between two pauses: about a millisecond.
const STRIDE = 256

type Search = { asked: string; most: number; pause: Pause }

/**
 * The paths that may have been meant by a path that cannot be used: those that differ only in case, in a missing ending
 * or in additional folders before them, then files with the same name elsewhere. Never that path itself. Linear in the
 * number of paths, and in slices.
 */
export async function similarPaths(paths: Iterable<string>, { asked, most, pause }: Search): Promise<string[]> {
  const wanted = plain(asked)
  const name = nameOf(wanted)
  if (name === '') return []
  const [same, namesakes]: [string[], string[]] = [[], []]
  let work = 0
  for (const path of paths) {
    if (++work % STRIDE === 0) await pause()
    if (path === asked) continue
    const one = plain(path)
    if (one === wanted || wanted.endsWith(`/${one}`)) same.push(path)
    else if (nameOf(one) === name && namesakes.length < most) namesakes.push(path)
  }
  // The longest path agrees with most of the requested one.
  return [...same.sort((a, b) => b.length - a.length), ...namesakes].slice(0, most)
}

/**
 * A path without the parts that programs write in different ways: case, normal form, ending, separators, brackets,
 * anchor.
 */
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
