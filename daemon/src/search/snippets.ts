import { linesOf } from '../markdown/outline.ts'
import { findInLine, type Place } from './words/find-in-line.ts'
import type { Phrase } from './words/query.ts'
import { collector, scanTokens, type Token } from './words/tokens.ts'

/** A line that matched, cut to a readable length; highlights are [start, end) in its text. */
export type Snippet = { line: number; text: string; highlights: Place[] }

type Limits = {
  limit: number
  /** Called between slices of the text, so that a large note does not block others. May throw to end the search. */
  pause(): Promise<void> | undefined
}

const MAX_LENGTH = 240
const LEAD = 60
// The amount of text that is scanned between two pauses.
const SLICE = 16_384
// The number of words carried over to the next slice: more than a query has.
const CARRIED = 1024

/** Finds where phrases occur in a sequence of tokens, as offsets into the text. A query may have hundreds of them. */
function findPhrases(phrases: readonly Phrase[]): (tokens: readonly Token[]) => Place[] {
  // By their first word, or by what it begins with.
  const whole = new Map<string, Phrase[]>()
  const open = new Map<string, Phrase>()
  for (const phrase of phrases) {
    const first = phrase.terms[0]!.term
    if (phrase.prefix && phrase.terms.length === 1) open.set(first, phrase)
    else whole.set(first, [...(whole.get(first) ?? []), phrase])
  }
  const lengths = [...new Set([...open.keys()].map(({ length }) => length))]

  return (tokens) => {
    const places: Place[] = []
    for (const [index, { term, start, end }] of tokens.entries()) {
      for (const phrase of whole.get(term) ?? NONE) {
        const last = lastOf(tokens, index, phrase)
        if (last) places.push([start, last.end])
      }
      if (lengths.some((length) => open.has(term.slice(0, length)))) places.push([start, end])
    }
    return places
  }
}

const NONE: readonly Phrase[] = []

/** The last token of a phrase whose first word is at an index, or undefined when other words follow. */
function lastOf(tokens: readonly Token[], index: number, { terms, prefix }: Phrase): Token | undefined {
  const end = terms.length - 1
  for (let at = 1; at <= end; at++) {
    const { term, offset } = terms[at]!
    const token = tokens[index + offset]
    if (token === undefined) return undefined
    if (prefix && at === end ? !token.term.startsWith(term) : token.term !== term) return undefined
  }
  return tokens[index + terms[end]!.offset]
}

/** The lines of a text that contain one of the phrases, at most `limit` of them. */
export async function snippetsOf(text: string, phrases: readonly Phrase[], limits: Limits): Promise<Snippet[]> {
  const snippets: Snippet[] = []
  if (phrases.length === 0) return snippets

  const find = findInLine(phrases)
  const findTokens = findPhrases(phrases)
  let scanned = 0
  for (const line of linesOf(text)) {
    const places = find(line.text)
    if (places === 'unknown') {
      const snippet = await snippetIn(line, findTokens, limits)
      if (snippet) snippets.push(snippet)
    } else if (places.length > 0) snippets.push(cut(line.number, line.text, merge(places)))
    if (snippets.length === limits.limit) break
    if (line.end - scanned > SLICE) {
      scanned = line.end
      await limits.pause()
    }
  }
  return snippets
}

/** The first part of a line that contains a phrase. Lines may be megabytes long, so they are scanned in slices. */
async function snippetIn(
  { number, text }: { number: number; text: string },
  find: ReturnType<typeof findPhrases>,
  { pause }: Limits,
): Promise<Snippet | undefined> {
  let tokens: Token[] = []
  const push = (token: Token) => tokens.push(token)
  const sink = collector({ push }, push)
  for (let at = 0; at < text.length;) {
    at = scanTokens(text, at, Math.min(text.length, at + SLICE), sink)
    const places = merge(find(tokens))
    if (places.length > 0) return cut(number, text, places)
    tokens = tokens.slice(-CARRIED)
    if (at < text.length) await pause()
  }
  return undefined
}

function merge(places: Place[]): Place[] {
  const merged: Place[] = []
  for (const [start, end] of places.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else merged.push([start, end])
  }
  return merged
}

function cut(line: number, text: string, places: Place[]): Snippet {
  if (text.length <= MAX_LENGTH) return { line, text, highlights: places }
  const first = Math.max(0, Math.min(places[0]![0] - LEAD, text.length - MAX_LENGTH))
  const from = boundary(text, first)
  const to = boundary(text, Math.min(text.length, from + MAX_LENGTH))
  const highlights = places
    .filter(([start, end]) => start >= from && end <= to)
    .map(([start, end]): Place => [start - from, end - from])
  return { line, text: text.slice(from, to), highlights }
}

/** The offset, or the next one when the offset would split a surrogate pair. */
function boundary(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at
}
