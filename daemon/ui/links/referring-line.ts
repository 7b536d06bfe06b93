import { plainLine, type Range } from '../plain-line/plain-line.ts'
import { withoutExtension, type LinkIndex } from './link-index.ts'
import { resolveAddress, resolveLink } from './resolve-link.ts'

type Reference = { index: LinkIndex; from: string; to: string; text: string }

/**
 * A line of the note `from` as a reader sees it. Its links to the note `to` are highlighted; if it has none, the given
 * highlights are. Pure.
 */
export function referringLine({ index, from, to, text }: Reference): { text: string; highlights: Range[] } {
  const plain = plainLine(text)
  const links = plain.links.filter(({ kind, target }) => {
    if (kind === 'wiki') return resolveLink(index, { target, from })?.path === to
    return resolveAddress(index, { target: pathOf(target), from })?.path === to
  })
  const highlights = links.map(({ start, end }): Range => [start, end])
  return { text: plain.text, highlights: highlights.length > 0 ? highlights : namesIn(plain.text, to) }
}

/** The path in the address of a Markdown link, without its title and heading. */
function pathOf(address: string): string {
  const path = /^<([^>]*)>|^[^\s#]*/.exec(address)
  const bare = (path?.[1] ?? path?.[0] ?? '').split('#', 1)[0]!
  try {
    return decodeURIComponent(bare)
  } catch {
    return bare
  }
}

function namesIn(text: string, path: string): Range[] {
  const name = withoutExtension(path.slice(path.lastIndexOf('/') + 1))
  const pattern = new RegExp(name.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'giu')
  return [...text.matchAll(pattern)].map(({ index, 0: found }): Range => [index, index + found.length])
}
