import { foldText } from './folded-text.ts'
import { linesOf } from './outline.ts'

/** A line that is much like one that was looked for, and in what it differs. */
export type NearLine = { line: number; text: string; differs: 'case' | 'text' }

const LIMIT = 3
const LEAST = 0.5
const MAX_LINE = 300

/** The lines of a text that are most like the first line of an anchor that was found nowhere. */
export function nearestLines(text: string, anchor: string): NearLine[] {
  const wanted = anchor.split('\n').find((line) => line.trim() !== '')
  if (wanted === undefined) return []
  const key = keyOf(wanted)
  const pairs = pairsOf(key)

  const rated: (NearLine & { likeness: number })[] = []
  for (const line of linesOf(text)) {
    if (line.text.trim() === '') continue
    const other = keyOf(line.text.slice(0, MAX_LINE))
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

const keyOf = (line: string): string => foldText(line.trim(), 'blanks').text.toLowerCase()

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>()
  for (let at = 0; at < text.length - 1; at++) {
    const pair = text.slice(at, at + 2)
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  return pairs
}

/** Dice's coefficient over pairs of characters. */
function likenessOf(a: Map<string, number>, b: Map<string, number>): number {
  let shared = 0
  for (const [pair, count] of a) shared += Math.min(count, b.get(pair) ?? 0)
  const total = [...a.values(), ...b.values()].reduce((sum, count) => sum + count, 0)
  return total === 0 ? 0 : (2 * shared) / total
}
