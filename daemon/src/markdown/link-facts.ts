import { linksOf, type NoteLink } from './note-links.ts'
import { placesOf, type NotePlaces } from './note-places.ts'

/** One link in the form that is kept in memory for every note. */
export type KeptLink = Pick<NoteLink, 'kind' | 'embed' | 'inProperty' | 'line' | 'target'> & {
  fragment?: string | undefined
}

/** What the link index of a vault needs to know about a note. */
export type LinkFacts = { links: KeptLink[]; places: NotePlaces }

// A limit, because every link is kept in memory. No real note has more.
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
