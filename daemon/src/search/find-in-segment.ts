import { BestNotes } from './best-notes.ts'
import { bestOfWord } from './best-of-word.ts'
import { bytesOf } from './bytes-of-search.ts'
import { candidates, type Candidates } from './candidates.ts'
import { lookUp, matchSegment, readNotes, type FoundEntries } from './match-segment.ts'
import type { Corpus } from './ranking.ts'
import type { SegmentView } from './segment-postings.ts'
import type { TermEntry } from './segment/dictionary-terms.ts'
import { WorkMemory } from './work-memory.ts'
import type { Query } from './words/query.ts'

/**
 * The best notes of a segment in order, the number of matches, and per phrase and term the number of notes with the
 * word.
 */
export type InSegment = { best: Candidates; total: number; holding: number[][] }

type Search = {
  query: Query
  corpus: Corpus
  /** Per phrase and term, the number of notes of the other tier that contain the word. */
  elsewhere: readonly number[][]
  limit: number
}

/** The empty result, for when the words of a query have not been looked up. */
export const nothingInSegment = ({ must }: Query): InSegment => ({
  best: candidates(0, new WorkMemory()),
  total: 0,
  holding: must.map(({ terms }) => terms.map(() => 0)),
})

/**
 * Finds the best notes of a segment. Writes the result to `found`; `holding` is written as soon as it is known, so that
 * it is there even if the search runs out of time.
 */
export async function findInSegment(
  view: SegmentView,
  { query, corpus, elsewhere, limit }: Search,
  found: InSegment,
): Promise<void> {
  const entries = await lookUp(view, query.must)
  const excluded = await lookUp(view, query.mustNot)
  await view.reserve(bytesOf(view.segment, { query, entries, excluded }))
  const entry = onlyLongEntry(query, entries)
  if (entry) {
    const { best, total } = await bestOfWord(view, { entry, corpus, elsewhere: elsewhere[0]![0]!, limit })
    Object.assign(found, { best, total, holding: [[total]] })
    return
  }
  const terms = await readNotes(view, entries)
  found.holding = terms.map(({ terms: its }) => its.map(({ holding }) => holding))
  const holding = (phrase: number, term: number) => found.holding[phrase]![term]! + elsewhere[phrase]![term]!
  const all = await matchSegment(view, { query, terms, excluded, scoring: { corpus, holding } })
  found.total = all.count
  found.best = bestOf(all, limit)
}

/** The postings of the only word of a query without filters, if the word occurs in many notes. */
function onlyLongEntry({ must, mustNot, filters }: Query, entries: FoundEntries): TermEntry | undefined {
  if (must.length !== 1 || mustNot.length > 0 || filters.length > 0) return undefined
  const { terms } = entries[0]!
  const [entry] = terms[0]!
  const isOnly = terms.length === 1 && terms[0]!.length === 1
  return isOnly && entry!.spans.length > 0 ? entry : undefined
}

function bestOf({ numbers, values, count }: Candidates, limit: number): Candidates {
  const best = new BestNotes(Math.min(limit, count))
  for (let index = 0; index < count; index++)
    if (values[index]! >= best.least) best.offer(numbers[index]!, values[index]!)
  return best.sorted()
}
