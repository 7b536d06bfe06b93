import { filterTermsOf, foldStart, termOfFilter } from './words/filter-terms.ts'
import { feedNote, type NoteContent, type NoteSink } from './words/note-tokens.ts'
import { commonStarts } from './words/phrase-places.ts'
import type { Filter, Phrase, Query } from './words/query.ts'
import { PREFIX_SHARE } from './ranking.ts'
import { asciiTerm } from './words/tokens.ts'

type Word = { weight: number; places: number[] }

/** A note that has changed since the segment was built, tokenized in memory. */
export type RecentNote = {
  path: string
  title: string
  length: number
  words: ReadonlyMap<string, Word>
  filterTerms: ReadonlySet<string>
  foldedPath: string
  foldedTitle: string
}

/** Tokenizes a note, pausing between slices of its text. The generator returns the note at the end. */
export function* readRecentNote(note: NoteContent): Generator<void, RecentNote> {
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
  return { path, title, length, words, filterTerms, foldedPath: foldStart(path), foldedTitle: foldStart(title) }
}

/** True for the word of a phrase that may be a prefix. */
export const isOpen = ({ terms, prefix }: Phrase, index: number) => prefix && index === terms.length - 1

/** The words of a query that a note must contain exactly. */
export function exactTermsOf(phrases: readonly Phrase[]): string[] {
  return phrases.flatMap((phrase) => phrase.terms.filter((_, index) => !isOpen(phrase, index)).map(({ term }) => term))
}

/** The weight of a search word in a note. For a prefix, longer words that begin with it count less. */
function weightOf({ words }: RecentNote, term: string, kind: 'exact' | 'prefix'): number {
  if (kind === 'exact') return words.get(term)?.weight ?? 0
  let weight = 0
  for (const [word, { weight: its }] of words)
    if (word.startsWith(term)) weight += its * (word === term ? 1 : PREFIX_SHARE)
  return weight
}

/** The weight in a note, per phrase and term; undefined when the note lacks one of the words. */
export function weightsOf(note: RecentNote, phrases: readonly Phrase[]): number[][] {
  return phrases.map((phrase) =>
    phrase.terms.map(({ term }, index) => weightOf(note, term, isOpen(phrase, index) ? 'prefix' : 'exact')),
  )
}

/** True when a note that holds all words of a query also has its phrases and passes its filters. */
export function isMatch(note: RecentNote, { must, mustNot, filters }: Query): boolean {
  return (
    filters.every((filter) => passes(note, filter) !== filter.negated) &&
    must.every((phrase) => holds(note, phrase)) &&
    !mustNot.some((phrase) => holds(note, phrase))
  )
}

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

function holds({ words }: RecentNote, phrase: Phrase): boolean {
  let starts: number[] | undefined
  for (const [index, { term, offset }] of phrase.terms.entries()) {
    const places = isOpen(phrase, index) ? placesOfPrefix(words, term) : (words.get(term)?.places ?? [])
    starts = commonStarts(starts, places, offset)
    if (starts.length === 0) return false
  }
  return true
}

function placesOfPrefix(words: ReadonlyMap<string, Word>, prefix: string): number[] {
  const places: number[] = []
  for (const [word, { places: its }] of words) if (word.startsWith(prefix)) for (const place of its) places.push(place)
  return places
}
