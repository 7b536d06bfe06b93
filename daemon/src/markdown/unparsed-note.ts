import { baselineOf, blobNameOf } from '../files/baseline.ts'
import type { LinkFacts } from './link-facts.ts'
import type { ReadFacts } from './note-facts.ts'
import { titleOf } from './outline.ts'

/** The facts of a note that could not be parsed: it is plain text with the name of its file. */
export function unparsedFacts(path: string, bytes: Uint8Array): ReadFacts {
  const title = titleOf(path, [])
  const [baseline, blob] = [baselineOf(bytes), blobNameOf(bytes)]
  return { kind: 'note', baseline, blob, title, tags: [], properties: {}, problem: 'took_too_long' }
}

/** The links of a note that could not be parsed. */
export const noLinkFacts: LinkFacts = { links: [], places: { headings: [], blocks: [], isComplete: false } }
