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

/** Where a phrase occurs in a sequence of tokens, as offsets into the text. */
function findPhrase(tokens: readonly Token[], { terms, prefix }: Phrase): Place[] {
  const places: Place[] = []
  const [head, ...rest] = terms
  if (!head) return places
  const fits = (token: Token | undefined, term: string, isLast: boolean) =>
    token !== undefined && (prefix && isLast ? token.term.startsWith(term) : token.term === term)

  for (let index = 0; index < tokens.length; index++) {
    const first = tokens[index]!
    if (!fits(first, head.term, rest.length === 0)) continue
    const follow = rest.every(({ term, offset }, at) => fits(tokens[index + offset], term, at === rest.length - 1))
    if (follow) places.push([first.start, tokens[index + terms.at(-1)!.offset]!.end])
  }
  return places
}

/** The lines of a text that contain one of the phrases, at most `limit` of them. */
export async function snippetsOf(text: string, phrases: readonly Phrase[], limits: Limits): Promise<Snippet[]> {
  const snippets: Snippet[] = []
  if (phrases.length === 0) return snippets

  const find = findInLine(phrases)
  let scanned = 0
  for (const line of linesOf(text)) {
    const places = find(line.text)
    if (places === 'unknown') {
      const snippet = await snippetIn(line, phrases, limits)
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
  phrases: readonly Phrase[],
  { pause }: Limits,
): Promise<Snippet | undefined> {
  let tokens: Token[] = []
  const push = (token: Token) => tokens.push(token)
  const sink = collector({ push }, push)
  for (let at = 0; at < text.length;) {
    at = scanTokens(text, at, Math.min(text.length, at + SLICE), sink)
    const places = merge(phrases.flatMap((phrase) => findPhrase(tokens, phrase)))
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
