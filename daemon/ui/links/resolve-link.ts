import { comparable, withoutExtension, type Entry, type LinkIndex } from './link-index.ts'

type Link = { target: string; from: string }

/**
 * The note or attachment that a link means, or undefined. The best match of a name is the one at exactly that path,
 * then one in the linking note's folder, then the one with the shortest path.
 */
export function resolveLink(index: LinkIndex, { target, from }: Link): Entry | undefined {
  if (target === '') return index.find(from)
  const folder = folderOf(from)
  if (/^\.\.?(\/|$)/.test(target)) return atPath(index, joined(folder, target))

  const wanted = target.replace(/^\/+/, '')
  const candidates = index.named(wanted.split('/').at(-1) ?? '').filter((entry) => endsAt(entry.path, wanted))
  return candidates.toSorted(
    (one, other) =>
      rank(one.path, wanted, folder) - rank(other.path, wanted, folder) ||
      depth(one.path) - depth(other.path) ||
      one.path.length - other.path.length ||
      (one.path < other.path ? -1 : 1),
  )[0]
}

/** The entry that the address of a Markdown link means: relative to the linking note first, then like a wiki link. */
export function resolveAddress(index: LinkIndex, { target, from }: Link): Entry | undefined {
  if (target === '') return index.find(from)
  const near = target.startsWith('/') ? undefined : atPath(index, joined(folderOf(from), target))
  return near ?? resolveLink(index, { target, from })
}

/** The folder of a path; empty for the vault's root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Resolves `.` and `..` from a folder; never leads out of the vault. */
export function joined(folder: string, target: string): string {
  const segments = folder === '' ? [] : folder.split('/')
  for (const segment of target.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '.' && segment !== '') segments.push(segment)
  }
  return segments.join('/')
}

function atPath(index: LinkIndex, path: string): Entry | undefined {
  return index.named(path.split('/').at(-1) ?? '').find((entry) => same(entry.path, path))
}

const same = (path: string, wanted: string) =>
  comparable(path) === comparable(wanted) || comparable(withoutExtension(path)) === comparable(wanted)

const endsAt = (path: string, wanted: string) => {
  if (same(path, wanted)) return true
  const tail = `/${comparable(wanted)}`
  return comparable(path).endsWith(tail) || comparable(withoutExtension(path)).endsWith(tail)
}

const rank = (path: string, wanted: string, folder: string) => {
  if (same(path, wanted)) return 0
  return folderOf(path) === folder ? 1 : 2
}

const depth = (path: string) => path.split('/').length
