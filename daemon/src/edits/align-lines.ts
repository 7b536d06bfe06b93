import { commonEnds, diffLines, type LineChange } from './line-diff.ts'
import { authoredLines, countLines } from './line-runs.ts'

// A change of fewer lines than this is not worth a second comparison.
const COARSE_LINES = 100
// Splitting and comparing take some 130 bytes for a line, and a note of 10 MB may have ten million. Two notes of that
// size with lines of 20 characters are still compared.
const MAX_LINES = 1_000_000

/**
 * The runs in which two texts differ. Where they differ too much for the shortest description, lines that occur once in
 * each text anchor the rest. Time grows slightly faster than the number of lines.
 */
export function alignLines(a: readonly string[], b: readonly string[]): LineChange[] {
  return diffLines(a, b).flatMap((change) => {
    const { fromA, toA, fromB, toB } = change
    if (Math.min(toA - fromA, toB - fromB) < COARSE_LINES) return [change]
    return betweenAnchors(a, b, change)
  })
}

/**
 * The runs of lines in which two texts of an editor differ. Texts that differ in too many lines count as rewritten
 * between their common head and tail. Pure.
 */
export function alignTexts(before: string, after: string): LineChange[] {
  if (before === after) return []
  const { head, tail } = commonEnds(before, after)
  const [a, b] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)]
  const start = countLines(before.slice(0, head))
  const [linesOfA, linesOfB] = [countLines(a), countLines(b)]
  if (linesOfA + linesOfB > MAX_LINES)
    return [{ fromA: start, toA: start + linesOfA, fromB: start, toB: start + linesOfB }]
  return alignLines(authoredLines(a), authoredLines(b)).map(({ fromA, toA, fromB, toB }) => ({
    fromA: start + fromA,
    toA: start + toA,
    fromB: start + fromB,
    toB: start + toB,
  }))
}

function betweenAnchors(a: readonly string[], b: readonly string[], { fromA, toA, fromB, toB }: LineChange) {
  const changes: LineChange[] = []
  let [atA, atB] = [fromA, fromB]
  for (const [nextA, nextB] of [...anchorsOf(a, b, { fromA, toA, fromB, toB }), [toA, toB] as const]) {
    for (const change of diffLines(a.slice(atA, nextA), b.slice(atB, nextB)))
      changes.push({
        fromA: change.fromA + atA,
        toA: change.toA + atA,
        fromB: change.fromB + atB,
        toB: change.toB + atB,
      })
    ;[atA, atB] = [nextA + 1, nextB + 1]
  }
  return changes
}

/** Pairs of the same line, in the order of both texts: the longest chain of lines that occur once in each. */
function anchorsOf(a: readonly string[], b: readonly string[], { fromA, toA, fromB, toB }: LineChange) {
  const [onceA, onceB] = [linesThatOccurOnce(a, fromA, toA), linesThatOccurOnce(b, fromB, toB)]
  const pairs = [...onceA].flatMap(([line, atA]) => {
    const atB = onceB.get(line)
    return atB === undefined ? [] : [[atA, atB] as const]
  })

  // The longest increasing chain by the places in `b`; `ends[n]` is the pair that ends the best chain of n + 1.
  const ends: number[] = []
  const before: (number | undefined)[] = []
  for (const [index, [, atB]] of pairs.entries()) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (pairs[ends[middle]!]![1] < atB) low = middle + 1
      else high = middle
    }
    before[index] = low === 0 ? undefined : ends[low - 1]
    ends[low] = index
  }
  const chain: (readonly [number, number])[] = []
  for (let index = ends.at(-1); index !== undefined; index = before[index]) chain.push(pairs[index]!)
  return chain.reverse()
}

function linesThatOccurOnce(lines: readonly string[], from: number, to: number): Map<string, number> {
  const places = new Map<string, number>()
  const repeated = new Set<string>()
  for (let at = from; at < to; at++) {
    const line = lines[at]!
    if (repeated.has(line)) continue
    if (places.delete(line)) repeated.add(line)
    else places.set(line, at)
  }
  return places
}
