import { filterTermsOf } from './filter-terms.ts'
import { scanTokens, type TokenSink } from './tokens.ts'

/** What the index is told of a note. */
export type NoteContent = {
  path: string
  title: string
  text: string
  tags: readonly string[]
  properties: Record<string, unknown>
}

/** Receives what a note is found by. The place of a token is its number within the note; fields never touch. */
export type NoteSink = {
  ascii(text: string, start: number, end: number, position: number, weight: number): void
  term(term: string, position: number, weight: number): void
  /** A tag or property, which has no place. */
  filterTerm(term: string): void
}

/** How much more a word counts in the title and in the path than in the text. */
export const WEIGHTS = { title: 4, path: 2, text: 1 } as const

/** No phrase reaches over so many places from the end of one field into the next. */
export const GAP = 16
// Text that is scanned before the caller may pause: about a millisecond.
const SLICE = 16_384

/** What of a note is searched, in the order of the places of its tokens. */
export const fieldsOf = ({ title, path, text }: Pick<NoteContent, 'title' | 'path' | 'text'>) =>
  [
    [title, WEIGHTS.title],
    [path, WEIGHTS.path],
    [text, WEIGHTS.text],
  ] as const

/** Feeds a note to a sink, pausing between slices of its text. The number of tokens is the value returned at the end. */
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
