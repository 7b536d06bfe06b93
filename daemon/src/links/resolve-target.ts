import { identityKey } from '../files/path-twins.ts'
import { nameKey, type FileNames as AllNames, type NamedFile } from './file-names.ts'

type FileNames = Pick<AllNames, 'named'>
type Link = { target: string; from: string; style: 'wiki' | 'address' }

/** Endings that a link may omit, the most likely first. */
export const NOTE_ENDINGS = ['.md', '.markdown', ''] as const

/**
 * The path of the file that a link leads to, or undefined. A bare name means the file at exactly that path, otherwise
 * the file in the folder of the linking note, otherwise the file with the shortest path. An address is first resolved
 * relative to its note.
 */
export function resolveTarget(names: FileNames, { target, from, style }: Link): string | undefined {
  if (target === '') return from
  const folder = folderOf(from)
  if (/^\.\.?(?:\/|$)/.test(target)) return atPath(names, joined(folder, target))
  if (style === 'address' && !target.startsWith('/')) {
    const near = atPath(names, joined(folder, target))
    if (near !== undefined) return near
  }
  return bestMatch(names, withoutLeadingSlashes(target), folder)
}

function bestMatch(names: FileNames, wanted: string, folder: string): string | undefined {
  const name = nameKey(wanted)
  let best: { file: NamedFile; rank: number } | undefined
  for (const ending of NOTE_ENDINGS) {
    const key = identityKey(wanted) + ending
    const end = `/${key}`
    for (const file of names.named(name + ending)) {
      const isExact = file.key === key
      if (!isExact && !file.key.endsWith(end)) continue
      const rank = isExact ? 0 : isIn(folder, file.path) ? 1 : 2
      if (!best || rank < best.rank || (rank === best.rank && isBefore(file, best.file))) best = { file, rank }
    }
  }
  return best?.file.path
}

function atPath(names: FileNames, path: string): string | undefined {
  const name = nameKey(path)
  for (const ending of NOTE_ENDINGS) {
    const key = identityKey(path) + ending
    let found: string | undefined
    for (const file of names.named(name + ending)) {
      if (file.key !== key) continue
      if (file.path === path + ending) return file.path
      if (found === undefined || file.path < found) found = file.path
    }
    if (found !== undefined) return found
  }
  return undefined
}

/** Order of candidates that are equally near: fewer folders, then fewer characters, then by name. */
function isBefore(one: NamedFile, other: NamedFile): boolean {
  const difference = one.depth - other.depth || one.path.length - other.path.length
  return difference < 0 || (difference === 0 && one.path < other.path)
}

/** True for a file directly in a folder. Makes no new text: it is asked of every file of a name. */
const isIn = (folder: string, path: string): boolean =>
  Math.max(0, path.lastIndexOf('/')) === folder.length && path.startsWith(folder)

function withoutLeadingSlashes(target: string): string {
  let start = 0
  while (target[start] === '/') start++
  return target.slice(start)
}

/** The folder of a path; empty at the root of the vault. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** Follows `.` and `..` from a folder; never leads out of the vault. */
export function joined(folder: string, target: string): string {
  const segments = folder === '' ? [] : folder.split('/')
  for (const segment of target.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '.' && segment !== '') segments.push(segment)
  }
  return segments.join('/')
}
