import type { Candidates } from './candidates.ts'
import { findInRecent, nothingInRecent, type RecentTier } from './recent/find-in-recent.ts'
import { findInSegment, nothingInSegment } from './find-in-segment.ts'
import type { FileTable } from './segment/file-table.ts'
import type { Query } from './words/query.ts'
import { best, rarity, termScore, type Corpus, type Ranked } from './ranking.ts'
import type { RecentNote } from './recent/recent-notes.ts'
import { OutOfBudget } from './search-budget.ts'
import type { SegmentView } from './segment-postings.ts'

/** One result of a search. */
export type Found = { path: string; title: string; score: number }

/** The notes of a vault in two tiers: those of the segment, and those that have changed since it was built. */
export type BothTiers = RecentTier & {
  view: SegmentView
  table: FileTable
  hiddenNotes: number
}

/** The result of a search: the best notes and the number of all matches. */
export type Findings = { found: Found[]; total: number; partial: boolean }

/**
 * Searches both tiers as if they were one: the rarity of a word is that in both together. Finds at most `limit` notes,
 * after the `offset` best ones.
 */
export async function findInBoth(
  { view, table, hiddenNotes, recent, holders }: BothTiers,
  { query, offset = 0, limit }: { query: Query; offset?: number | undefined; limit: number },
): Promise<Findings> {
  const { segment, budget } = view
  const recentTokens = recent.reduce((sum, { length }) => sum + length, 0)
  const corpus: Corpus = {
    notes: segment.notes - hiddenNotes + recent.length,
    averageLength: (segment.tokens + recentTokens) / Math.max(1, segment.notes + recent.length),
  }
  const fresh = nothingInRecent(query)
  const old = nothingInSegment(query)
  let partial = false
  try {
    await findInRecent({ recent, holders }, { query, budget }, fresh)
    await findInSegment(view, { query, corpus, elsewhere: fresh.holding, limit: offset + limit }, old)
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error
    partial = true
  }

  const rarities = fresh.holding.map((its, phrase) =>
    its.map((count, term) => rarity(corpus, count + old.holding[phrase]![term]!)),
  )
  const scored = fresh.matches
    .map(({ note, weights }) => ({ note, score: scoreOf(note, { weights, corpus, rarities }) }))
    .sort((a, b) => (a.note.path < b.note.path ? -1 : 1))
  const ranked = best(inOneOrder(old.best, scored, table), offset + limit)
  return {
    found: ranked.slice(offset).map((item) => toFound(item, table)),
    total: old.total + scored.length,
    partial: partial || fresh.isUnsure,
  }
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

type Scoring = { weights: number[][]; corpus: Corpus; rarities: number[][] }

function scoreOf({ length }: RecentNote, { weights, corpus, rarities }: Scoring): number {
  let score = 0
  for (const [phrase, its] of weights.entries())
    for (const [term, weight] of its.entries()) score += rarities[phrase]![term]! * termScore(corpus, weight, length)
  return Math.fround(score)
}
