import type { LinkProblem, OutgoingLink } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import type { KeptLink } from '../markdown/link-facts.ts'
import { hasPlace } from '../markdown/note-places.ts'
import type { OpenLinks } from './link-index.ts'
import { linksIn, placesIn } from './note-record.ts'
import { resolveTarget } from './resolve-target.ts'

/** The file that a link in a note leads to, or undefined. */
export function fileOf({ names }: OpenLinks, { kind, target }: KeptLink, from: string): string | undefined {
  return resolveTarget(names, { target, from, style: kind === 'wiki' ? 'wiki' : 'address' })
}

/** The links of a note with their targets, in order. */
export function* meaningsIn(links: OpenLinks, from: string): Generator<OutgoingLink> {
  const number = links.records.numberOf(from)
  const record = number === undefined ? undefined : links.records.record(number)
  if (!record) return
  for (const link of linksIn(record)) {
    const path = fileOf(links, link, from)
    const problem = problemOf(links, path, link.fragment)
    yield { ...link, ...(path !== undefined && { path }), ...(problem && { problem }) }
  }
}

/** Only a note has places that can be missing. */
function problemOf({ records }: OpenLinks, path: string | undefined, fragment?: string): LinkProblem | undefined {
  if (path === undefined) return 'no_file'
  if (fragment === undefined) return undefined
  const number = records.numberOf(path)
  const record = number === undefined ? undefined : records.record(number)
  if (!record || hasPlace(placesIn(record), fragment)) return undefined
  return fragment.startsWith('^') ? 'no_block' : 'no_heading'
}
