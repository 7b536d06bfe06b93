import { hasUnspaced } from './character-class.ts'
import { fold } from './fold.ts'
import type { Phrase } from './query.ts'
import { MAX_TERM } from './tokens.ts'

/** A part of a text: [start, end). */
export type Place = [number, number]

const NOT_ASCII = /[^\0-\x7F]/
const IS_ASCII_WORD = /^\w+$/
// Folding a longer line at once would block the event loop.
const LONGEST = 16_384
// The line is searched once for each phrase. For more of them, splitting it is faster.
const MOST_PHRASES = 16
// A word of hundreds of characters is cut before it is folded, so only the start of a term is searched for.
const START = 24

/**
 * Searches a line for phrases, at a fraction of the cost of splitting the line into words. Returns the places where
 * they occur; `unknown` for a line that must be split, because it is long, contains more than ASCII and perhaps a
 * phrase, or is searched for many.
 */
export function findInLine(phrases: readonly Phrase[]): (line: string) => Place[] | 'unknown' {
  if (phrases.length > MOST_PHRASES) return () => 'unknown'
  const patterns = phrases.map(patternOf).filter((pattern) => pattern !== undefined)
  const wanted = phrases.map(({ terms }) => terms.map(({ term }) => term.slice(0, START)))

  return (line) => {
    if (line.length > LONGEST) return 'unknown'
    if (!NOT_ASCII.test(line)) return patterns.flatMap((pattern) => placesOf(pattern, line))
    // Pairs of characters are not folded.
    if (hasUnspaced(line)) return 'unknown'
    const folded = fold(line)
    return wanted.some((terms) => terms.every((term) => folded.includes(term))) ? 'unknown' : []
  }
}

/** The expression that finds a phrase in ASCII; undefined for a phrase that no ASCII text contains. */
function patternOf({ terms, prefix }: Phrase): RegExp | undefined {
  if (!terms.every(({ term, offset }, index) => offset === index && IS_ASCII_WORD.test(term))) return undefined
  const words = terms.map(({ term }, index) => {
    const mayGoOn = (prefix && index === terms.length - 1) || term.length === MAX_TERM
    return mayGoOn ? `${term}\\w*` : `${term}(?!\\w)`
  })
  return new RegExp(`(?<!\\w)${words.join('\\W+')}`, 'gi')
}

function placesOf(pattern: RegExp, line: string): Place[] {
  const places: Place[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(line); match !== null; match = pattern.exec(line)) {
    places.push([match.index, match.index + match[0].length])
    // A phrase may begin within the previous match.
    pattern.lastIndex = match.index + 1
  }
  return places
}
