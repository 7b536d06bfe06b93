import { resolveTarget } from '../../src/links/resolve-target.ts'
import { MAX_PATH_LENGTH, type Entry, type LinkIndex } from './link-index.ts'

type Link = { target: string; from: string }

/** The note or attachment that a wiki link means, or undefined. The daemon decides by the same rules. */
export function resolveLink(index: LinkIndex, link: Link): Entry | undefined {
  return resolve(index, { ...link, style: 'wiki' })
}

/** The entry that the address of a Markdown link means: relative to the linking note first, then like a wiki link. */
export function resolveAddress(index: LinkIndex, link: Link): Entry | undefined {
  return resolve(index, { ...link, style: 'address' })
}

function resolve(index: LinkIndex, link: Parameters<typeof resolveTarget>[1]): Entry | undefined {
  if (link.target.length > MAX_PATH_LENGTH) return undefined
  const path = resolveTarget(index.names, link)
  return path === undefined ? undefined : index.find(path)
}

/** The folder of a path; empty for the vault's root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}
