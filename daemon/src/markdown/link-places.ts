import { linksOf, type NoteLink } from './note-links.ts'

/** A link of a note as far as rewriting it needs to know. */
export type LinkPlace = Pick<NoteLink, 'kind' | 'target' | 'fragment' | 'from' | 'to' | 'line'>

// Taking over more of them from the worker would hold the event loop. The index of links keeps half as many of a note.
const MAX_LINKS = 20_000

/** Where the links of a note are; undefined for a note with more links than can be rewritten. */
export function linkPlacesOf({ text }: { text: string }): LinkPlace[] | undefined {
  const links = linksOf(text)
  if (links.length > MAX_LINKS) return undefined
  return links.map(({ kind, target, fragment, from, to, line }) => ({
    kind,
    target,
    ...(fragment !== undefined && { fragment }),
    from,
    to,
    line,
  }))
}
