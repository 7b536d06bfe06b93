/** A run of lines that differs: `[fromA, toA)` of the one became `[fromB, toB)` of the other, counted from 0. */
export type LineChange = { fromA: number; toA: number; fromB: number; toB: number }

// Beyond this many differing or compared lines, the shortest description is not worth its cost: texts of repeated lines
// differ little but are compared often.
const MAX_EDITS = 600
const MAX_COMPARISONS = 2_000_000

/** Splits into lines that keep their line ends. */
export function splitLines(text: string): string[] {
  const lines: string[] = []
  let start = 0
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    lines.push(text.slice(start, end + 1))
    start = end + 1
  }
  if (start < text.length) lines.push(text.slice(start))
  return lines
}

// Comparing parts takes a tenth of the time of comparing characters.
const PART = 4096

/** The lengths of the common head and tail of two texts, cut back to whole lines. */
export function commonEnds(a: string, b: string): { head: number; tail: number } {
  const most = Math.min(a.length, b.length)
  let head = 0
  while (head + PART <= most && a.slice(head, head + PART) === b.slice(head, head + PART)) head += PART
  while (head < most && a.charCodeAt(head) === b.charCodeAt(head)) head++
  if (head > 0 && (head < a.length || head < b.length)) head = a.lastIndexOf('\n', head - 1) + 1
  let tail = 0
  const endsAlike = (from: number) =>
    a.slice(a.length - from - PART, a.length - from) === b.slice(b.length - from - PART, b.length - from)
  while (tail + PART <= most - head && endsAlike(tail)) tail += PART
  while (tail < most - head && a.charCodeAt(a.length - 1 - tail) === b.charCodeAt(b.length - 1 - tail)) tail++
  const lineStart = a.indexOf('\n', a.length - tail) + 1
  return { head, tail: tail > 0 && lineStart > 0 ? a.length - lineStart : 0 }
}

/** The runs in which two texts differ by lines, in order; Myers' algorithm between common head and tail, with a cap. */
export function diffLines(linesA: readonly string[], linesB: readonly string[]): LineChange[] {
  const [a, b] = numbered(linesA, linesB)
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  if (head === a.length && head === b.length) return []

  const midA = a.slice(head, a.length - tail)
  const midB = b.slice(head, b.length - tail)
  const changes = midA.length === 0 || midB.length === 0 ? undefined : shortest(midA, midB)
  const whole = [{ fromA: 0, toA: midA.length, fromB: 0, toB: midB.length }]
  return (changes ?? whole).map(({ fromA, toA, fromB, toB }) => ({
    fromA: fromA + head,
    toA: toA + head,
    fromB: fromB + head,
    toB: toB + head,
  }))
}

/** The same number for equal lines, so that long lines are compared once. */
function numbered(...texts: [readonly string[], readonly string[]]): [Int32Array, Int32Array] {
  const numbers = new Map<string, number>()
  const numberOf = (line: string): number => {
    const known = numbers.get(line)
    if (known !== undefined) return known
    numbers.set(line, numbers.size)
    return numbers.size - 1
  }
  return [Int32Array.from(texts[0], numberOf), Int32Array.from(texts[1], numberOf)]
}

/** The furthest position on each diagonal after a number of edits; diagonals run from `-edits - 1` to `edits + 1`. */
type Round = Int32Array

const at = (round: Round, diagonal: number): number => round[diagonal + (round.length >> 1)] ?? -1

/** The maximum number of lines that can stay: those that both texts have, counted as often as both have them. */
function mostKept(a: Int32Array, b: Int32Array): number {
  const left = new Map<number, number>()
  for (const line of a) left.set(line, (left.get(line) ?? 0) + 1)
  let kept = 0
  for (const line of b) {
    const count = left.get(line) ?? 0
    if (count === 0) continue
    left.set(line, count - 1)
    kept += 1
  }
  return kept
}

/** Myers' greedy search; undefined if no line can stay, or if it takes too many edits or comparisons. */
function shortest(a: Int32Array, b: Int32Array): LineChange[] | undefined {
  // The search would have the same result, after hundreds of rounds.
  const kept = mostKept(a, b)
  if (kept === 0 || a.length + b.length - 2 * kept > MAX_EDITS) return undefined
  const rounds: Round[] = []
  let before: Round = Int32Array.of(-1, -1, 0) // as if one insertion had come before everything
  let comparisons = 0

  for (let edits = 0; edits <= Math.min(MAX_EDITS, a.length + b.length); edits++) {
    rounds.push(before)
    const round = new Int32Array(2 * edits + 3).fill(-1)
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const start = startOf(before, diagonal, edits)
      let x = start
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++
      round[diagonal + edits + 1] = x
      if (x >= a.length && x - diagonal >= b.length) return trace(rounds, a.length, b.length)
      comparisons += x - start + 1
    }
    if (comparisons > MAX_COMPARISONS) return undefined
    before = round
  }
  return undefined
}

function isInsertion(before: Round, diagonal: number, edits: number): boolean {
  return diagonal === -edits || (diagonal !== edits && at(before, diagonal - 1) < at(before, diagonal + 1))
}

function startOf(before: Round, diagonal: number, edits: number): number {
  return isInsertion(before, diagonal, edits) ? at(before, diagonal + 1) : at(before, diagonal - 1) + 1
}

function trace(rounds: readonly Round[], lengthA: number, lengthB: number): LineChange[] {
  const steps: LineChange[] = []
  let [x, y] = [lengthA, lengthB]
  for (let edits = rounds.length - 1; edits > 0; edits--) {
    const before = rounds[edits]!
    const diagonal = x - y
    const isInsert = isInsertion(before, diagonal, edits)
    const beforeX = at(before, isInsert ? diagonal + 1 : diagonal - 1)
    const beforeY = beforeX - (isInsert ? diagonal + 1 : diagonal - 1)
    steps.push({
      fromA: beforeX,
      toA: isInsert ? beforeX : beforeX + 1,
      fromB: beforeY,
      toB: isInsert ? beforeY + 1 : beforeY,
    })
    ;[x, y] = [beforeX, beforeY]
  }
  return join(steps.reverse())
}

function join(steps: readonly LineChange[]): LineChange[] {
  const joined: LineChange[] = []
  for (const step of steps) {
    const last = joined.at(-1)
    if (last && last.toA === step.fromA && last.toB === step.fromB) {
      last.toA = step.toA
      last.toB = step.toB
    } else joined.push({ ...step })
  }
  return joined
}
