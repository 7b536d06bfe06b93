import { isMatch, isOpen, passesAll, weightsOf, type RecentNote } from './recent-notes.ts'
import { inSlices, type SearchBudget } from '../search-budget.ts'
import type { Query } from '../words/query.ts'

/** The notes that have changed since the segment was built. */
export type RecentTier = {
  recent: readonly RecentNote[]
  /** For whole words of the query, the notes that contain it. A word that is absent was not looked up. */
  holders: ReadonlyMap<string, ReadonlySet<RecentNote>>
}

/**
 * The notes that match a query, with their weights per phrase and term, and the number of notes with each word.
 * `isUnsure` if the end of a note, which is not searched here, may decide whether the note matches.
 */
export type InRecent = { matches: { note: RecentNote; weights: number[][] }[]; holding: number[][]; isUnsure: boolean }

/** The empty result. */
export const nothingInRecent = ({ must }: Query): InRecent => ({
  matches: [],
  holding: must.map(({ terms }) => terms.map(() => 0)),
  isUnsure: false,
})

/** Finds the changed notes that match. Writes to `found` what it knows, so that it is there if the time runs out. */
export async function findInRecent(
  { recent, holders }: RecentTier,
  { query, budget }: { query: Query; budget: SearchBudget },
  found: InRecent,
): Promise<void> {
  const { holding } = found
  const exact = [...holders.values()]
  const isPrefix = query.must.some(({ prefix }) => prefix)
  const unknown: { phrase: number; index: number; term: string }[] = []
  for (const [phrase, its] of query.must.entries())
    for (const [index, { term }] of its.terms.entries()) {
      if (isOpen(its, index)) continue
      const notes = holders.get(term)
      if (notes) holding[phrase]![index] = notes.size
      else unknown.push({ phrase, index, term })
    }

  for (const note of recent) {
    const isCandidate = exact.every((notes) => notes.has(note))
    const isCut = note.isCut && passesAll(note, query.filters)
    if (isCut && (!isCandidate || query.mustNot.length > 0)) found.isUnsure = true
    if (!isCandidate && !isPrefix && unknown.length === 0) continue
    for (const { phrase, index, term } of unknown) if (note.words.has(term)) holding[phrase]![index]!++
    if (isCandidate || isPrefix) {
      const weights = await inSlices(weightsOf(note, query.must), budget)
      for (const [phrase, { terms, prefix }] of query.must.entries())
        if (prefix && weights[phrase]!.at(-1)! > 0) holding[phrase]![terms.length - 1]!++
      const hasAll = isCandidate && weights.every((its) => its.every((weight) => weight > 0))
      if (hasAll && (await inSlices(isMatch(note, query), budget))) found.matches.push({ note, weights })
      else if (isCut) found.isUnsure = true
    }
    await budget.pause()
  }
}
