import type { Candidates } from './candidates.ts'
import { findInSegment, nothingInSegment } from './find-in-segment.ts'
import type { FileTable } from './segment/file-table.ts'
import type { Query } from './words/query.ts'
import { best, rarity, termScore, type Corpus, type Ranked } from './ranking.ts'
import { isMatch, isOpen, weightsOf, type RecentNote } from './recent-notes.ts'
import { OutOfTime } from './search-budget.ts'
import type { SegmentView } from './segment-postings.ts'

/** One result of a search. */
export type Found = { path: string; title: string; score: number }

/** The notes of a vault in two tiers: those of the segment, and those that have changed since it was built. */
export type BothTiers = {
  view: SegmentView
  table: FileTable
  hiddenNotes: number
  recent: readonly RecentNote[]
  /** For each whole word of the query, the changed notes that contain it. */
  holders: ReadonlyMap<string, ReadonlySet<RecentNote>>
}

/** The result of a search: the best notes and the number of all matches. */
export type Findings = { found: Found[]; total: number; partial: boolean }

/** Searches both tiers as if they were one: the rarity of a word is that in both together. */
export async function findInBoth(
  { view, table, hiddenNotes, recent, holders }: BothTiers,
  { query, limit }: { query: Query; limit: number },
): Promise<Findings> {
  const { segment, budget } = view
  const recentTokens = recent.reduce((sum, { length }) => sum + length, 0)
  const corpus: Corpus = {
    notes: segment.notes - hiddenNotes + recent.length,
    averageLength: (segment.tokens + recentTokens) / Math.max(1, segment.notes + recent.length),
  }
  const weighed: { note: RecentNote; weights: number[][] }[] = []
  let partial = false
  const old = nothingInSegment(query)
  const counts = query.must.map(({ terms }) => terms.map(() => 0))
  const holding = (phrase: number, term: number) => counts[phrase]![term]! + old.holding[phrase]![term]!

  try {
    const open = query.must.some(({ prefix }) => prefix)
    const exact = [...holders.values()]
    for (const [phrase, its] of query.must.entries())
      for (const [index, { term }] of its.terms.entries())
        if (!isOpen(its, index)) counts[phrase]![index] = holders.get(term)!.size
    for (const note of recent) {
      const isCandidate = exact.every((notes) => notes.has(note))
      if (!isCandidate && !open) continue
      const weights = weightsOf(note, query.must)
      for (const [phrase, { terms, prefix }] of query.must.entries())
        if (prefix && weights[phrase]!.at(-1)! > 0) counts[phrase]![terms.length - 1]!++
      if (isCandidate && weights.flat().every((weight) => weight > 0)) weighed.push({ note, weights })
      await budget.pause()
    }
    await findInSegment(view, { query, corpus, elsewhere: counts, limit }, old)
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error
    partial = true
  }

  const fresh = weighed
    .filter(({ note }) => isMatch(note, query))
    .map(({ note, weights }) => ({ note, score: scoreOf(note, { weights, corpus, holding }) }))
    .sort((a, b) => (a.note.path < b.note.path ? -1 : 1))
  const ranked = best(inOneOrder(old.best, fresh, table), limit)
  return { found: ranked.map((item) => toFound(item, table)), total: old.total + fresh.length, partial }
}

type Fresh = { note: RecentNote; score: number }
type Item = Ranked & ({ number: number } | { note: RecentNote })

/** Results of equal score are ordered by path, whichever tier they are in. */
function* inOneOrder(old: Candidates, fresh: readonly Fresh[], table: FileTable): Generator<Item> {
  for (let index = 0; index < old.count; index++)
    yield { score: old.values[index]!, order: old.numbers[index]!, number: old.numbers[index]! }
  for (const [index, { note, score }] of fresh.entries()) {
    const order = table.firstAtOrAfter(note.path) - 1 + (index + 1) / (fresh.length + 1)
    yield { score, order, note }
  }
}

function toFound(item: Item, table: FileTable): Found {
  const { score } = item
  if ('note' in item) return { path: item.note.path, title: item.note.title, score }
  return { path: table.path(item.number), title: table.title(item.number), score }
}

type Scoring = { weights: number[][]; corpus: Corpus; holding(phrase: number, term: number): number }

function scoreOf({ length }: RecentNote, { weights, corpus, holding }: Scoring): number {
  let score = 0
  for (const [phrase, its] of weights.entries())
    for (const [term, weight] of its.entries())
      score += rarity(corpus, holding(phrase, term)) * termScore(corpus, weight, length)
  return Math.fround(score)
}
