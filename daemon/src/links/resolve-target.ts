import { identityKey } from '../files/vault-path.ts'
import { nameKey, type FileNames as AllNames } from './file-names.ts'

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
  const key = identityKey(wanted)
  const name = nameKey(wanted)
  let best: { path: string; rank: number } | undefined
  for (const ending of NOTE_ENDINGS)
    for (const path of names.named(name + ending)) {
      if (!endsAt(identityKey(path), key + ending)) continue
      const isExact = identityKey(path) === key + ending
      const rank = isExact ? 0 : folderOf(path) === folder ? 1 : 2
      if (!best || rank < best.rank || (rank === best.rank && isBefore(path, best.path))) best = { path, rank }
    }
  return best?.path
}

function atPath(names: FileNames, path: string): string | undefined {
  const key = identityKey(path)
  for (const ending of NOTE_ENDINGS) {
    const found = names.named(nameKey(path) + ending).filter((each) => identityKey(each) === key + ending)
    if (found.length > 0) return found.includes(path + ending) ? path + ending : found.toSorted()[0]
  }
  return undefined
}

/** Order of candidates that are equally near: fewer folders, then fewer characters, then by name. */
function isBefore(one: string, other: string): boolean {
  const difference = depthOf(one) - depthOf(other) || one.length - other.length
  return difference < 0 || (difference === 0 && one < other)
}

const depthOf = (path: string): number => path.split('/').length

const endsAt = (path: string, wanted: string): boolean => path === wanted || path.endsWith(`/${wanted}`)

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
