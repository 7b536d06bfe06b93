import { linksOf, type NoteLink } from './note-links.ts'
import { placesOf, type NotePlaces } from './note-places.ts'

/** A link as it is kept of every note. */
export type KeptLink = Pick<NoteLink, 'kind' | 'embed' | 'inProperty' | 'line' | 'target'> & {
  fragment?: string | undefined
}

/** What the links of a vault need to know of one note. */
export type LinkFacts = { links: KeptLink[]; places: NotePlaces }

// More links than this are no note; every one is kept in memory.
const MAX_LINKS = 10_000
const MAX_TARGET = 1000

/** Reads the links and the places of a note. */
export function linkFactsOf({ text }: { text: string }): LinkFacts {
  const links = linksOf(text)
    .filter(({ target, fragment = '' }) => target.length <= MAX_TARGET && fragment.length <= MAX_TARGET)
    .slice(0, MAX_LINKS)
    .map(({ kind, embed, inProperty, line, target, fragment }) => ({ kind, embed, inProperty, line, target, fragment }))
  return { links, places: placesOf(text) }
}
