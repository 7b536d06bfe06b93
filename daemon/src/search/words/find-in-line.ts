import { hasUnspaced } from './character-class.ts'
import { fold } from './fold.ts'
import type { Phrase } from './query.ts'
import { MAX_TERM } from './tokens.ts'

/** A part of a text: [start, end). */
export type Place = [number, number]

const NOT_ASCII = /[^\0-\x7F]/
const IS_ASCII_WORD = /^\w+$/
// Folding a longer line at once would hold the event loop.
const LONGEST = 16_384
// The end of a word of hundreds of characters is cut before it is folded, so only the start of a term is looked for.
const START = 24

/**
 * A search for phrases in a line that costs a fraction of taking the line apart into words. It returns the places where
 * they stand; `unknown` for a line that has to be taken apart, because it is long, or holds more than ASCII and perhaps a
 * phrase.
 */
export function findInLine(phrases: readonly Phrase[]): (line: string) => Place[] | 'unknown' {
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

/** The expression that finds a phrase in ASCII; undefined for one that no ASCII text holds. */
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
    // A phrase may begin within the one before.
    pattern.lastIndex = match.index + 1
  }
  return places
}
