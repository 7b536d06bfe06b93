import type { LinkProblem, OutgoingLink } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import type { KeptLink } from '../markdown/link-facts.ts'
import { placeFinder } from '../markdown/note-places.ts'
import type { OpenLinks } from './link-index.ts'
import { placesIn } from './note-record.ts'
import { createTargetCache, type FileOfLink } from './target-cache.ts'

/** Resolves the links of one note. A call may take a millisecond when many files have one name, so pause after each. */
export type LinkResolver = {
  fileOf: FileOfLink
  meaningOf(link: KeptLink): OutgoingLink
}

// The names of so many places of other notes are kept while the links of a note are resolved: a few megabytes.
const MAX_PLACES = 100_000

export function linkResolver(links: OpenLinks, from: string): LinkResolver {
  const fileOf = createTargetCache(links.names, from)
  const places = createPlaceCache(links)

  /** Only a note has places that can be missing. */
  function problemOf(path: string | undefined, fragment?: string): LinkProblem | undefined {
    if (path === undefined) return 'no_file'
    if (fragment === undefined || places.has(path, fragment)) return undefined
    return fragment.startsWith('^') ? 'no_block' : 'no_heading'
  }

  return {
    fileOf,
    meaningOf(link) {
      const path = fileOf(link)
      const problem = problemOf(path, link.fragment)
      return { ...link, ...(path !== undefined && { path }), ...(problem && { problem }) }
    },
  }
}

/** The places of the notes that links lead to. Places of anything but a note are never missing. */
function createPlaceCache({ records }: OpenLinks) {
  const finders = new Map<string, (fragment: string) => boolean>()
  let kept = 0

  function finderOf(path: string): (fragment: string) => boolean {
    const known = finders.get(path)
    if (known) return known
    const number = records.numberOf(path)
    const record = number === undefined ? undefined : records.record(number)
    const places = record && placesIn(record)
    const finder = places ? placeFinder(places) : () => true
    const size = places ? places.headings.length + places.blocks.length : 0
    if (kept + size > MAX_PLACES) {
      finders.clear()
      kept = 0
    }
    finders.set(path, finder)
    kept += size
    return finder
  }

  return { has: (path: string, fragment: string): boolean => finderOf(path)(fragment) }
}
