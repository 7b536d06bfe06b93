import { filterTermsOf } from './filter-terms.ts'
import { scanTokens, type TokenSink } from './tokens.ts'

/** The parts of a note that the index needs. */
export type NoteContent = {
  path: string
  title: string
  text: string
  tags: readonly string[]
  properties: Record<string, unknown>
}

/**
 * Receives the tokens and terms of a note. The place of a token is its number within the note; the places of two fields
 * are never adjacent.
 */
export type NoteSink = {
  ascii(text: string, start: number, end: number, position: number, weight: number): void
  term(term: string, position: number, weight: number): void
  /** A tag or property. It has no place. */
  filterTerm(term: string): void
}

/** How much more a word counts in the title and in the path than in the text. */
const WEIGHTS = { title: 4, path: 2, text: 1 } as const

/** The gap of places between two fields, so that no phrase matches across them. */
export const GAP = 16
// The amount of text that is scanned before the caller may pause: about a millisecond.
const SLICE = 16_384

/** The searched fields of a note, in the order of the places of their tokens. */
export const fieldsOf = ({ title, path, text }: Pick<NoteContent, 'title' | 'path' | 'text'>) =>
  [
    [title, WEIGHTS.title],
    [path, WEIGHTS.path],
    [text, WEIGHTS.text],
  ] as const

/**
 * Passes the content of a note to a sink, pausing between slices of its text. The generator returns the number of
 * tokens.
 */
export function* feedNote(note: NoteContent, sink: NoteSink): Generator<void, number> {
  let position = 0
  let gaps = 0
  for (const term of filterTermsOf(note.tags, note.properties)) sink.filterTerm(term)

  for (const [source, weight] of fieldsOf(note)) {
    const term = (term: string) => sink.term(term, position++, weight)
    const tokens: TokenSink = {
      ascii: (from, start, end) => sink.ascii(from, start, end, position++, weight),
      folded: term,
      closing: term,
    }
    for (let at = 0; at < source.length;) {
      at = scanTokens(source, at, Math.min(source.length, at + SLICE), tokens)
      if (at < source.length) yield
    }
    position += GAP
    gaps += GAP
  }
  return position - gaps
}
