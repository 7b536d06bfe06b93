import { BestNotes } from './best-notes.ts'
import type { Candidates } from './candidates.ts'
import { PREFIX_SHARE, rarity, termScore, type Corpus } from './ranking.ts'
import type { SegmentView } from './segment-postings.ts'
import type { TermEntry } from './segment/dictionary-terms.ts'
import { Spans } from './spans/spans.ts'

// Spans to decode, or hidden notes to search for, between two checks of the clock: well under a millisecond.
const STRIDE = 64
// More than the rounding error of a score, both in the segment and when it is computed.
const ROUNDING = 1 + 1e-6

type OfWord = {
  entry: TermEntry
  corpus: Corpus
  /** The number of notes of the other tier that contain the word. */
  elsewhere: number
  limit: number
}

/**
 * Finds the best notes of a word that occurs in many notes, and their total number. Decodes only spans that may contain
 * one of the best. The result is the same as scoring every note.
 */
export async function bestOfWord(
  view: SegmentView,
  { entry, corpus, elsewhere, limit }: OfWord,
): Promise<{ best: Candidates; total: number }> {
  const { segment, hidden, budget, memory } = view
  const [postings, described] = await Promise.all([
    segment.read('postings', [entry], memory),
    segment.read('spans', [entry], memory),
  ])
  const spans = new Spans({ postings, described, notes: entry.notes })
  const total = entry.notes - (await countHidden(view, spans))
  const share = entry.whole ? 1 : PREFIX_SHARE
  const itsRarity = rarity(corpus, total + elsewhere)
  // The scores in a segment are computed for its own average length. They rise at most in proportion to the growth of
  // the average since.
  const average = segment.tokens / Math.max(1, segment.notes)
  const mostRisen = itsRarity * Math.max(1, corpus.averageLength / average) * ROUNDING

  const best = new BestNotes(Math.min(limit, total))
  const { numbers, weights } = spans
  for (const [index, span] of spans.bestFirst().entries()) {
    if (spans.best(span) * mostRisen < best.least) break
    const count = spans.decode(span)
    for (let at = 0; at < count; at++) {
      const number = numbers[at]!
      if (hidden[number] === 1) continue
      const score = Math.fround(itsRarity * termScore(corpus, weights[at]! * share, segment.lengths[number]!))
      if (score >= best.least) best.offer(number, score)
    }
    if (index % STRIDE === 0) await budget.pause()
  }
  return { best: best.sorted(), total }
}

/** The number of hidden notes that contain the word. Decodes only spans with a hidden note in their range. */
async function countHidden({ hidden, budget }: SegmentView, spans: Spans): Promise<number> {
  let count = 0
  let span = 0
  let decoded = -1
  let held = 0
  let at = 0
  let work = 0
  for (let number = hidden.indexOf(1); number !== -1; number = hidden.indexOf(1, number + 1)) {
    while (span < spans.count && spans.last(span) < number) span++
    if (span === spans.count) break
    if (decoded !== span) {
      held = spans.decode(span)
      decoded = span
      at = 0
    }
    while (at < held && spans.numbers[at]! < number) at++
    if (at < held && spans.numbers[at] === number) count++
    if (++work % STRIDE === 0) await budget.pause()
  }
  return count
}
