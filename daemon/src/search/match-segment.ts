import { candidates, copyOf, keepCommon, keepWhere, removeCommon, type Candidates } from './candidates.ts'
import { termOfFilter } from './words/filter-terms.ts'
import type { Filter, Phrase, Query } from './words/query.ts'
import { commonStarts, type PlaceLists } from './place-lists.ts'
import { rarity, termScore, type Corpus } from './ranking.ts'
import { isOpen } from './recent-notes.ts'
import { notesWith, positionsIn, type SegmentView } from './segment-postings.ts'
import type { TermEntry } from './segment/segment.ts'

/** What a segment holds of the words of a query, before it is known which notes hold all of them. */
export type SegmentTerms = { phrase: Phrase; terms: FoundTerm[] }[]

type FoundTerm = { entries: TermEntry[]; notes: Candidates }

/** What the dictionary has of the words of phrases: more than one entry for a word that may go on. */
export type FoundEntries = { phrase: Phrase; terms: TermEntry[][] }[]

/** Looks up words in the dictionary. */
export function lookUp({ segment }: SegmentView, phrases: readonly Phrase[]): Promise<FoundEntries> {
  return Promise.all(
    phrases.map(async (phrase) => {
      const terms = phrase.terms.map(({ term }, index) =>
        segment.find(term, isOpen(phrase, index) ? 'prefix' : 'exact'),
      )
      return { phrase, terms: await Promise.all(terms) }
    }),
  )
}

/** Reads which notes hold the words. Both tiers need the number of notes of each word before either can score. */
export function readNotes(view: SegmentView, found: FoundEntries): Promise<SegmentTerms> {
  return Promise.all(
    found.map(async ({ phrase, terms }) => {
      const read = terms.map(async (entries) => ({ entries, notes: await notesWith(view, entries) }))
      return { phrase, terms: await Promise.all(read) }
    }),
  )
}

type Scoring = { corpus: Corpus; holding(phrase: number, term: number): number }

/** The notes of a segment that match a query, with their scores, in the order of their numbers. */
export async function matchSegment(
  view: SegmentView,
  { query, terms, scoring }: { query: Query; terms: SegmentTerms; scoring: Scoring },
): Promise<Candidates> {
  const found = query.must.length === 0 ? allNotes(view) : common(view, terms, scoring)
  for (const filter of query.filters) {
    if (found.count === 0) return found
    const passing = await passingFilter(view, filter)
    if (filter.negated) removeCommon(found, passing)
    else keepCommon(found, passing, (score) => score)
    await view.budget.pause()
  }
  for (const { phrase, terms: words } of terms) await keepPhrase(view, found, { phrase, words })
  if (found.count > 0) await exclude(view, found, query.mustNot)
  return found
}

function allNotes({ segment, hidden }: SegmentView): Candidates {
  const all = candidates(segment.files)
  for (let number = 0; number < segment.files; number++)
    if (segment.lengths[number]! > 0 && hidden[number] !== 1) all.numbers[all.count++] = number
  return all
}

/** The notes with all the words, in any order. Begins with the rarest word, to keep the lists short. */
function common({ segment }: SegmentView, phrases: SegmentTerms, { corpus, holding }: Scoring): Candidates {
  const words = phrases
    .flatMap(({ terms }, phrase) =>
      terms.map(({ notes }, term) => ({ notes, rarity: rarity(corpus, holding(phrase, term)) })),
    )
    .sort((a, b) => a.notes.count - b.notes.count)
  const [rarest, ...others] = words
  if (!rarest) return candidates(0)
  const score = (weight: number, number: number, itsRarity: number) =>
    itsRarity * termScore(corpus, weight, segment.lengths[number]!)

  const found = copyOf(rarest.notes)
  for (let index = 0; index < found.count; index++)
    found.values[index] = score(found.values[index]!, found.numbers[index]!, rarest.rarity)
  for (const word of others)
    keepCommon(found, word.notes, (sum, weight, number) => sum + score(weight, number, word.rarity))
  return found
}

/** Keeps the notes in which the words of a phrase follow each other. */
async function keepPhrase(
  view: SegmentView,
  found: Candidates,
  { phrase, words }: { phrase: Phrase; words: FoundTerm[] },
): Promise<void> {
  if (phrase.terms.length === 1) return
  let starts: PlaceLists | undefined
  for (const [index, { offset }] of phrase.terms.entries()) {
    const places = await positionsIn(view, words[index]!.entries, found)
    starts = commonStarts(starts, places, offset)
    await view.budget.pause()
  }
  const ends = starts!.ends
  keepWhere(found, (index) => ends[index]! > (ends[index - 1] ?? 0))
}

async function exclude(view: SegmentView, found: Candidates, phrases: readonly Phrase[]): Promise<void> {
  for (const { phrase, terms } of await readNotes(view, await lookUp(view, phrases))) {
    const holding = copyOf(found)
    for (const { notes } of terms) keepCommon(holding, notes, (score) => score)
    await keepPhrase(view, holding, { phrase, words: terms })
    removeCommon(found, holding)
  }
}

async function passingFilter(view: SegmentView, filter: Filter): Promise<Candidates> {
  if (filter.kind === 'tag' || filter.kind === 'prop')
    return notesWith(view, await view.segment.find(termOfFilter(filter), 'exact'))
  return notesWithText(view, filter.kind === 'path' ? 'foldedPaths' : 'foldedTitles', filter.value)
}

const END = 0
const STRIDE = 2048

/** The notes with this text in their folded path or title. All are one text, in which each ends with a NUL. */
async function notesWithText(
  { segment, hidden, budget }: SegmentView,
  name: 'foldedPaths' | 'foldedTitles',
  value: string,
): Promise<Candidates> {
  const found = candidates(segment.files)
  if (value.includes('\0')) return found
  const text = await segment.section(name)
  let start = 0
  let hit = text.indexOf(value)
  for (let number = 0; number < segment.files && hit !== -1; number++) {
    const end = text.indexOf(END, start)
    if (hit < end) {
      if (segment.lengths[number]! > 0 && hidden[number] !== 1) found.numbers[found.count++] = number
      hit = text.indexOf(value, end)
    }
    start = end + 1
    if (number % STRIDE === 0) await budget.pause()
  }
  return found
}
