import { candidates, copyOf, keepCommon, removeCommon, valuesIn, valuesRoom, type Candidates } from './candidates.ts'
import { termOfFilter } from './words/filter-terms.ts'
import type { Filter, Phrase, Query } from './words/query.ts'
import { keepPhrase } from './keep-phrase.ts'
import { eachInTurn, onceFor } from './once-for.ts'
import { rowOfTerms } from './postings/pair-rows.ts'
import { rarity, termScore, type Corpus } from './ranking.ts'
import { isOpen } from './recent/recent-notes.ts'
import { countShown, keepShown, notesWith, type SegmentView } from './segment-postings.ts'
import type { TermEntry } from './segment/dictionary-terms.ts'
import type { WorkMemory } from './work-memory.ts'

/** What a segment contains of the words of a query, before it is known which notes contain all of them. */
export type SegmentTerms = { phrase: Phrase; terms: FoundTerm[]; pairs: Uint8Array[] }[]

/**
 * `notes`: including hidden notes. `holding`: the number without hidden notes. `positions`: for a word of a phrase that is
 * not a prefix.
 */
type FoundTerm = { entries: TermEntry[]; notes: Candidates; holding: number; positions?: Uint8Array | undefined }

/** The dictionary entries for the words of phrases; a prefix has more than one. */
export type FoundEntries = { phrase: Phrase; terms: TermEntry[][] }[]

/** Looks up words in the dictionary. The same word has the same entries wherever the phrases contain it. */
export function lookUp({ segment, budget }: SegmentView, phrases: readonly Phrase[]): Promise<FoundEntries> {
  const finder = (kind: 'exact' | 'prefix') =>
    onceFor(async (term: string) => {
      await budget.pause()
      return segment.find(term, kind)
    })
  const find = { exact: finder('exact'), prefix: finder('prefix') }
  return eachInTurn(phrases, async (phrase) => {
    const words = phrase.terms.map(
      ({ term }, index) => ({ term, kind: isOpen(phrase, index) ? 'prefix' : 'exact' }) as const,
    )
    return { phrase, terms: await eachInTurn(words, ({ term, kind }) => find[kind](term)) }
  })
}

/**
 * Reads which notes contain the words, and the places of the words of phrases. The counts of both tiers are needed before
 * either tier can score. Reading the places at the same time costs no time; reading them later would.
 */
export function readNotes(view: SegmentView, found: FoundEntries): Promise<SegmentTerms> {
  const inPhrases = new Set(found.filter(({ terms }) => terms.length > 1).flatMap(({ terms }) => terms))
  const read = onceFor(async (entries: TermEntry[]): Promise<FoundTerm> => {
    await view.budget.pause()
    const [notes, positions] = await Promise.all([
      notesWith(view, entries),
      entries.length === 1 && inPhrases.has(entries) ? view.segment.read('positions', entries, view.memory) : undefined,
    ])
    return { entries, notes, holding: countShown(view, notes), positions }
  })
  const readPairs = onceFor((row: number) => view.segment.pairs(row, view.memory))
  return eachInTurn(found, async ({ phrase, terms }) => {
    const [its, pairs] = await Promise.all([eachInTurn(terms, read), eachInTurn(rowsOf(phrase), readPairs)])
    return { phrase, terms: its, pairs }
  })
}

/** The rows of the whole words of a phrase that follow each other, each once. */
export const rowsOf = (phrase: Phrase): number[] => [
  ...new Set(
    phrase.terms.flatMap(({ term, offset }, index) => {
      const before = phrase.terms[index - 1]
      return before?.offset === offset - 1 && !isOpen(phrase, index) ? [rowOfTerms(before.term, term)] : []
    }),
  ),
]

type Scoring = { corpus: Corpus; holding(phrase: number, term: number): number }

type Matching = { query: Query; terms: SegmentTerms; excluded: FoundEntries; scoring: Scoring }

/** The notes of a segment that match a query, with their scores, by note number. */
export async function matchSegment(
  view: SegmentView,
  { query, terms, excluded, scoring }: Matching,
): Promise<Candidates> {
  const words = rarestFirst(terms, scoring)
  const found = query.must.length === 0 ? allNotes(view) : common(words, view.memory)
  keepShown(view, found)
  for (const filter of query.filters) {
    if (found.count === 0) return found
    const passing = await passingFilter(view, filter)
    if (filter.negated) removeCommon(found, passing)
    else keepCommon(found, passing, view.memory)
    await view.budget.pause()
  }
  for (const phrase of terms) await keepPhrase(view, found, phrase)
  if (found.count > 0) await exclude(view, found, excluded)
  await score(view, found, { words, corpus: scoring.corpus })
  return found
}

/** All notes, each with the value 0. */
function allNotes({ segment, memory }: SegmentView): Candidates {
  const all = candidates(segment.files, memory)
  all.values.fill(0)
  for (let number = 0; number < segment.files; number++)
    if (segment.lengths[number]! > 0) all.numbers[all.count++] = number
  return all
}

type Word = { notes: Candidates; shown: number; rarity: number }

/** The words of a query, the rarest first: lists stay short, and scores are always added in the same order. */
function rarestFirst(phrases: SegmentTerms, { corpus, holding }: Scoring): Word[] {
  return phrases
    .flatMap(({ terms }, phrase) =>
      terms.map(({ notes, holding: shown }, term) => ({
        notes,
        shown,
        rarity: rarity(corpus, holding(phrase, term)),
      })),
    )
    .sort((a, b) => a.shown - b.shown)
}

/** The notes that contain all the words, in any order, each with the weight of the first word. */
function common([rarest, ...others]: readonly Word[], memory: WorkMemory): Candidates {
  if (!rarest) return candidates(0, memory)
  const found = copyOf(rarest.notes, memory)
  for (const notes of new Set(others.map((word) => word.notes))) keepCommon(found, notes, memory)
  return found
}

/**
 * Sets the scores of notes that contain all the words; their value so far is the weight of the first word. Call it only
 * for notes that match: most notes with two words do not contain them as a phrase.
 */
async function score(view: SegmentView, found: Candidates, { words, corpus }: Weighed): Promise<void> {
  const { segment, budget, memory } = view
  const room = valuesRoom(found, words.length > 1 ? segment.files : 0, memory)
  room.values.set(found.values.subarray(0, found.count))
  found.values.fill(0, 0, found.count)
  for (const [word, { notes, rarity: its }] of words.entries()) {
    const weights = word === 0 ? room.values : valuesIn(notes, found, room)
    for (let from = 0; from < found.count; from += STRIDE) {
      const part = { from, to: Math.min(found.count, from + STRIDE) }
      addScores(found, part, { weights, lengths: segment.lengths, rarity: its, corpus })
      await budget.pause()
    }
  }
}

type Scored = { weights: Float32Array; lengths: Uint32Array; rarity: number; corpus: Corpus }

/** Adds the scores of one word to the values of some notes. */
function addScores({ numbers, values }: Candidates, part: { from: number; to: number }, scored: Scored): void {
  const { weights, lengths, rarity: its, corpus } = scored
  for (let index = part.from; index < part.to; index++)
    values[index]! += its * termScore(corpus, weights[index]!, lengths[numbers[index]!]!)
}

type Weighed = { words: readonly Word[]; corpus: Corpus }

/** Removes the notes with one of the phrases. Reads one phrase after the other: only one at a time is in memory. */
async function exclude(view: SegmentView, found: Candidates, phrases: FoundEntries): Promise<void> {
  for (const phrase of phrases) {
    const [words] = (await readNotes(view, [phrase])) as [SegmentTerms[number]]
    const holding = copyOf(found, view.memory)
    for (const { notes } of new Set(words.terms)) keepCommon(holding, notes, view.memory)
    await keepPhrase(view, holding, words)
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

/**
 * The notes with this text in their folded path or title. All paths and titles are one text; each entry ends with a
 * NUL.
 */
async function notesWithText(
  { segment, budget, memory }: SegmentView,
  name: 'foldedPaths' | 'foldedTitles',
  value: string,
): Promise<Candidates> {
  const found = candidates(segment.files, memory)
  if (value.includes('\0')) return found
  const text = await segment.section(name)
  let start = 0
  let hit = text.indexOf(value)
  for (let number = 0; number < segment.files && hit !== -1; number++) {
    const end = text.indexOf(END, start)
    if (hit < end) {
      if (segment.lengths[number]! > 0) found.numbers[found.count++] = number
      hit = text.indexOf(value, end)
    }
    start = end + 1
    if (number % STRIDE === 0) await budget.pause()
  }
  return found
}
