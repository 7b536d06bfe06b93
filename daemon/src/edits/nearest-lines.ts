import { foldText } from './folded-text.ts'
import { linesOf } from '../markdown/outline.ts'

/** A line similar to the wanted one, and how it differs. */
export type NearLine = { line: number; text: string; differs: 'case' | 'text' }

const LIMIT = 3
const LEAST = 0.5
const MAX_LINE = 300

/** The lines of a text most similar to the first line of an anchor that does not occur. */
export function nearestLines(text: string, anchor: string): NearLine[] {
  const wanted = anchor.split('\n').find((line) => line.trim() !== '')
  if (wanted === undefined) return []
  const key = keyOf(wanted)
  const pairs = pairsOf(key)

  const rated: (NearLine & { likeness: number })[] = []
  for (const line of linesOf(text)) {
    if (line.text.trim() === '') continue
    const other = keyOf(line.text)
    const likeness = other.includes(key) ? 1 : likenessOf(pairs, pairsOf(other))
    if (likeness < LEAST) continue
    rated.push({
      line: line.number,
      text: line.text.slice(0, MAX_LINE),
      differs: other.includes(key) ? 'case' : 'text',
      likeness,
    })
  }
  return rated
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, LIMIT)
    .map(({ line, text, differs }) => ({ line, text: text.toWellFormed(), differs }))
}

const keyOf = (line: string): string => foldText(line.slice(0, MAX_LINE).trim(), 'blanks').text.toLowerCase()

type PairCounts = { counts: ReadonlyMap<string, number>; total: number }

function pairsOf(text: string): PairCounts {
  const counts = new Map<string, number>()
  for (let at = 0; at < text.length - 1; at++) {
    const pair = text.slice(at, at + 2)
    counts.set(pair, (counts.get(pair) ?? 0) + 1)
  }
  return { counts, total: Math.max(0, text.length - 1) }
}

/** Dice's coefficient over pairs of characters; its cost is that of the shorter text. */
function likenessOf(a: PairCounts, b: PairCounts): number {
  const [few, many] = a.counts.size < b.counts.size ? [a, b] : [b, a]
  let shared = 0
  for (const [pair, count] of few.counts) shared += Math.min(count, many.counts.get(pair) ?? 0)
  const total = a.total + b.total
  return total === 0 ? 0 : (2 * shared) / total
}
