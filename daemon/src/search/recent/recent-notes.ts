import { filterTermsOf, foldStart, termOfFilter } from '../words/filter-terms.ts'
import { feedNote, type NoteContent, type NoteSink } from '../words/note-tokens.ts'
import { meetsStart, narrowStarts, STRIDE, type Sliced } from '../words/phrase-places.ts'
import type { Filter, Phrase, Query } from '../words/query.ts'
import { PREFIX_SHARE } from '../ranking.ts'
import { asciiTerm } from '../words/tokens.ts'

const NONE: readonly number[] = []

/** `places`: in ascending order. */
type Word = { weight: number; places: number[] }
type Words = ReadonlyMap<string, Word>

/** A note that has changed since the segment was built, tokenized in memory. */
export type RecentNote = {
  path: string
  title: string
  length: number
  words: Words
  filterTerms: ReadonlySet<string>
  foldedPath: string
  foldedTitle: string
  /** Only the words of its beginning are here; the next segment has all. */
  isCut: boolean
}

/** The most characters of a note here: the tokens of a larger one would take the memory of many notes. */
export const LARGEST_RECENT = 512 * 1024
// No longer word is looked for at the end of a cut text.
const LONGEST_CUT_WORD = 256

/** Tokenizes a note, pausing between slices of its text. The generator returns the note at the end. */
export function* readRecentNote(whole: NoteContent): Generator<void, RecentNote> {
  const note = { ...whole, text: beginningOf(whole.text) }
  const words = new Map<string, Word>()
  const filterTerms = filterTermsOf(note.tags, note.properties)
  const sink: NoteSink = {
    ascii: (text, start, end, position, weight) => sink.term(asciiTerm(text, start, end), position, weight),
    term(term, position, weight) {
      const word = words.get(term)
      if (word) {
        word.weight += weight
        word.places.push(position)
      } else words.set(term, { weight, places: [position] })
    },
    filterTerm: () => {},
  }
  const length = Math.max(1, yield* feedNote(note, sink))
  // Copied to its exact size: a growing list reserves room for sixteen more places, and most words have two.
  for (const word of words.values()) if (word.places.length > 1) word.places = word.places.slice()
  const { path, title } = note
  const isCut = note.text.length < whole.text.length
  return { path, title, length, words, filterTerms, foldedPath: foldStart(path), foldedTitle: foldStart(title), isCut }
}

/** The characters of a text that are searched here, up to the last whole word. */
function beginningOf(text: string): string {
  if (text.length <= LARGEST_RECENT) return text
  let end = LARGEST_RECENT
  while (end > LARGEST_RECENT - LONGEST_CUT_WORD && !/\s/.test(text[end]!)) end--
  // A copy, because the words are slices of it, and would keep all of the text in memory.
  return Buffer.from(text.slice(0, end)).toString()
}

/** True for the word of a phrase that may be a prefix. */
export const isOpen = ({ terms, prefix }: Phrase, index: number) => prefix && index === terms.length - 1

/** The words of a query that a note must contain exactly. */
export function exactTermsOf(phrases: readonly Phrase[]): string[] {
  return phrases.flatMap((phrase) => phrase.terms.filter((_, index) => !isOpen(phrase, index)).map(({ term }) => term))
}

/** The weight in a note, per phrase and term; 0 where the note lacks the word. Longer words of a prefix count less. */
export function* weightsOf({ words }: RecentNote, phrases: readonly Phrase[]): Sliced<number[][]> {
  const weights: number[][] = []
  for (const phrase of phrases) {
    const its: number[] = []
    for (const [index, { term }] of phrase.terms.entries())
      its.push(isOpen(phrase, index) ? yield* weightOfPrefix(words, term) : (words.get(term)?.weight ?? 0))
    weights.push(its)
  }
  return weights
}

function* weightOfPrefix(words: Words, prefix: string): Sliced<number> {
  let [weight, work] = [0, 0]
  for (const [word, { weight: its }] of words) {
    if (word.startsWith(prefix)) weight += its * (word === prefix ? 1 : PREFIX_SHARE)
    if (++work % STRIDE === 0) yield
  }
  return weight
}

/** True when a note that holds all words of a query also has its phrases and passes its filters. */
export function* isMatch(note: RecentNote, { must, mustNot, filters }: Query): Sliced<boolean> {
  if (!passesAll(note, filters)) return false
  for (const phrase of must) if (!(yield* holds(note, phrase))) return false
  for (const phrase of mustNot) if (yield* holds(note, phrase)) return false
  return true
}

/** True when a note passes all filters, whatever its words are. */
export const passesAll = (note: RecentNote, filters: readonly Filter[]): boolean =>
  filters.every((filter) => passes(note, filter) !== filter.negated)

function passes(note: RecentNote, filter: Filter): boolean {
  switch (filter.kind) {
    case 'path':
      return note.foldedPath.includes(filter.value)
    case 'title':
      return note.foldedTitle.includes(filter.value)
    default:
      return note.filterTerms.has(termOfFilter(filter))
  }
}

function* holds({ words }: RecentNote, phrase: Phrase): Sliced<boolean> {
  const whole = phrase.terms
    .filter((_, index) => !isOpen(phrase, index))
    .map(({ term, offset }) => ({ places: words.get(term)?.places ?? [], offset }))
    .sort((a, b) => a.places.length - b.places.length)
  const open = phrase.prefix ? phrase.terms.at(-1)! : undefined
  if (whole.length === 0) return (yield* weightOfPrefix(words, open!.term)) > 0

  const [{ places, offset }, ...others] = whole as [(typeof whole)[0], ...typeof whole]
  let starts = places.map((place) => place - offset)
  for (const word of others) {
    if (starts.length === 0) return false
    yield
    starts = yield* narrowStarts(starts, word)
  }
  if (open === undefined || starts.length === 0) return starts.length > 0
  return yield* meetsStart(starts, { words: placesOfPrefix(words, open.term), offset: open.offset })
}

/** The places of each word that begins with a prefix; none for another word, so that every word is a step. */
function* placesOfPrefix(words: Words, prefix: string): Generator<readonly number[], void> {
  for (const [word, { places }] of words) yield word.startsWith(prefix) ? places : NONE
}
