/** How well a query matches a text, and the ranges that it matches. */
export type FuzzyMatch = { score: number; ranges: [start: number, end: number][] }

/** Text prepared for many comparisons. It has the length of the original, so ranges apply to both. */
export type Folded = string

const APART = /[\s/\-_.,:;()[\]'"]/

/** Lower case without accents. Characters whose length would change stay as they are. */
export function fold(text: string): Folded {
  let folded = ''
  for (const unit of text) {
    const plain = unit.normalize('NFD')[0]!.toLowerCase()
    folded += unit.length === 1 && plain.length === 1 ? plain : unit
  }
  return folded
}

/** Matches every word of the query with the text, in any order; undefined if one does not match. */
export function fuzzyMatch(words: readonly Folded[], text: Folded): FuzzyMatch | undefined {
  let score = 0
  const ranges: [number, number][] = []
  for (const word of words) {
    const match = wholeMatch(word, text) ?? scatteredMatch(word, text)
    if (!match) return undefined
    score += match.score
    ranges.push(...match.ranges)
  }
  return { score: score - text.length / 100, ranges: united(ranges) }
}

/** Splits a query into the words that `fuzzyMatch` takes. */
export function queryWords(query: string): Folded[] {
  return fold(query).split(/\s+/).filter(Boolean)
}

function wholeMatch(word: Folded, text: Folded): FuzzyMatch | undefined {
  let best: FuzzyMatch | undefined
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const score = 20 + word.length * 4 + (startsWord(text, at) ? 20 : 0) + (at === 0 ? 10 : 0)
    if (!best || score > best.score) best = { score, ranges: [[at, at + word.length]] }
  }
  return best
}

/** Matches the letters in order with any gaps; letters at word starts are preferred and score more. */
function scatteredMatch(word: Folded, text: Folded): FuzzyMatch | undefined {
  let score = 0
  let at = -1
  const ranges: [number, number][] = []
  for (const [nth, letter] of [...word].entries()) {
    const following = text[at + 1] === letter ? at + 1 : -1
    const found =
      following !== -1 && nth > 0 ? following : nextLetter(text, letter, { after: at, rest: word.slice(nth + 1) })
    if (found === -1) return undefined
    score += found === at + 1 && nth > 0 ? 4 : startsWord(text, found) ? 5 : -1 - (found - at) / 20
    ranges.push([found, found + letter.length])
    at = found
  }
  return score > 0 ? { score, ranges } : undefined
}

function nextLetter(text: Folded, letter: string, { after, rest }: { after: number; rest: string }): number {
  for (let at = text.indexOf(letter, after + 1); at !== -1; at = text.indexOf(letter, at + 1))
    if (startsWord(text, at) && isScattered(rest, text, at)) return at
  return text.indexOf(letter, after + 1)
}

function isScattered(word: string, text: Folded, after: number): boolean {
  let at = after
  for (const letter of word) {
    at = text.indexOf(letter, at + 1)
    if (at === -1) return false
  }
  return true
}

const startsWord = (text: Folded, at: number) => at === 0 || APART.test(text[at - 1]!)

function united(ranges: readonly [number, number][]): [number, number][] {
  const whole: [number, number][] = []
  for (const [start, end] of ranges.toSorted((one, other) => one[0] - other[0])) {
    const last = whole.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else whole.push([start, end])
  }
  return whole
}
