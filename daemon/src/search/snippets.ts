import { linesOf } from '../notes/outline.ts'
import type { Phrase } from './query.ts'
import { tokensOf, type Token } from './tokens.ts'

/** A line that matched, cut to a readable length; highlights are [start, end) in its text. */
export type Snippet = { line: number; text: string; highlights: [number, number][] }

const MAX_LENGTH = 240
const LEAD = 60

/** Places in a row of tokens where a phrase stands, as offsets into the text. */
export function findPhrase(tokens: readonly Token[], { terms, prefix }: Phrase): [number, number][] {
  const places: [number, number][] = []
  const last = terms.length - 1
  for (const [index, first] of tokens.entries()) {
    const found = terms.map(({ term, offset }, at) => {
      const token = tokens[index + offset]
      const matches = token && (prefix && at === last ? token.term.startsWith(term) : token.term === term)
      return matches && token.position - first.position === offset ? token : undefined
    })
    const end = found.at(-1)?.end
    if (found.every((token) => token !== undefined) && end !== undefined) places.push([first.start, end])
  }
  return places
}

/** The lines of a text that hold one of the phrases, at most `limit` of them. */
export function snippetsOf(text: string, phrases: readonly Phrase[], limit: number): Snippet[] {
  const snippets: Snippet[] = []
  if (phrases.length === 0) return snippets

  for (const line of linesOf(text)) {
    const tokens = [...tokensOf(line.text)]
    const places = merge(phrases.flatMap((phrase) => findPhrase(tokens, phrase)))
    if (places.length > 0) snippets.push(cut(line.number, line.text, places))
    if (snippets.length === limit) break
  }
  return snippets
}

function merge(places: [number, number][]): [number, number][] {
  const merged: [number, number][] = []
  for (const [start, end] of places.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else merged.push([start, end])
  }
  return merged
}

function cut(line: number, text: string, places: [number, number][]): Snippet {
  if (text.length <= MAX_LENGTH) return { line, text, highlights: places }
  const first = Math.max(0, Math.min(places[0]![0] - LEAD, text.length - MAX_LENGTH))
  const from = boundary(text, first)
  const to = boundary(text, Math.min(text.length, from + MAX_LENGTH))
  const highlights = places
    .filter(([start, end]) => start >= from && end <= to)
    .map(([start, end]): [number, number] => [start - from, end - from])
  return { line, text: text.slice(from, to), highlights }
}

/** The offset, or the one after it when it would cut a character in half. */
function boundary(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at
}
