/** A run of lines that differs: `[fromA, toA)` of the one became `[fromB, toB)` of the other, counted from 0. */
export type LineChange = { fromA: number; toA: number; fromB: number; toB: number }

// Beyond so many differing lines the search for the shortest description costs more than it tells.
const MAX_EDITS = 600

/** Splits into lines that keep their line ends. */
export function splitLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

/** The runs in which two texts differ by lines, in order; Myers' algorithm between common head and tail, with a cap. */
export function diffLines(a: readonly string[], b: readonly string[]): LineChange[] {
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

/** Myers' greedy search; undefined when more than MAX_EDITS lines differ. */
function shortest(a: readonly string[], b: readonly string[]): LineChange[] | undefined {
  const furthest = new Map<number, number>([[1, 0]])
  const rounds: Map<number, number>[] = []

  for (let edits = 0; edits <= Math.min(MAX_EDITS, a.length + b.length); edits++) {
    rounds.push(new Map(furthest))
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = startOf(furthest, diagonal, edits)
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++
      furthest.set(diagonal, x)
      if (x >= a.length && x - diagonal >= b.length) return trace(rounds, a.length, b.length)
    }
  }
  return undefined
}

function startOf(furthest: ReadonlyMap<number, number>, diagonal: number, edits: number): number {
  const above = furthest.get(diagonal + 1) ?? -1
  const left = furthest.get(diagonal - 1) ?? -1
  return diagonal === -edits || (diagonal !== edits && left < above) ? above : left + 1
}

function trace(rounds: readonly ReadonlyMap<number, number>[], lengthA: number, lengthB: number): LineChange[] {
  const steps: LineChange[] = []
  let [x, y] = [lengthA, lengthB]
  for (let edits = rounds.length - 1; edits > 0; edits--) {
    const furthest = rounds[edits]!
    const diagonal = x - y
    const above = furthest.get(diagonal + 1) ?? -1
    const left = furthest.get(diagonal - 1) ?? -1
    const isInsert = diagonal === -edits || (diagonal !== edits && left < above)
    const beforeX = isInsert ? above : left
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
