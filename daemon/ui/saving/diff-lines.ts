/** A stretch where two lists of lines differ: `before[from, to)` became `after[start, end)`. */
export type Hunk = { from: number; to: number; start: number; end: number }

// The largest table of the cell by cell comparison. A larger stretch without unique lines is reported as one change.
const LARGEST_TABLE = 4_000_000

/** The differing stretches of two lists of lines, in order. Two stretches are never adjacent. */
export function diffLines(before: readonly string[], after: readonly string[]): Hunk[] {
  const hunks: Hunk[] = []
  compare({ from: 0, to: before.length, start: 0, end: after.length })
  return joined(hunks)

  function compare({ from, to, start, end }: Hunk) {
    while (from < to && start < end && before[from] === after[start]) [from, start] = [from + 1, start + 1]
    while (from < to && start < end && before[to - 1] === after[end - 1]) [to, end] = [to - 1, end - 1]
    const rest = { from, to, start, end }
    if (from === to && start === end) return
    if (from === to || start === end) return void hunks.push(rest)

    const anchors = uniqueCommonLines(before, after, rest)
    if (anchors.length > 0) return between(anchors, rest)
    if ((to - from) * (end - start) > LARGEST_TABLE) return void hunks.push(rest)
    between(longestCommonLines(before, after, rest), rest)
  }

  function between(anchors: readonly Anchor[], { from, to, start, end }: Hunk) {
    for (const [old, fresh] of [...anchors, [to, end] as const]) {
      const gap = { from, to: old, start, end: fresh }
      if (anchors.length === 0) hunks.push(gap)
      else compare(gap)
      ;[from, start] = [old + 1, fresh + 1]
    }
  }
}

type Anchor = readonly [old: number, fresh: number]

/** Lines that occur exactly once on each side, in the longest order that both sides share (patience diff). */
function uniqueCommonLines(before: readonly string[], after: readonly string[], { from, to, start, end }: Hunk) {
  const olds = uniquePositions(before, from, to)
  const freshes = uniquePositions(after, start, end)
  const pairs: Anchor[] = []
  for (const [line, old] of olds) {
    const fresh = freshes.get(line)
    if (fresh !== undefined) pairs.push([old, fresh])
  }
  return longestRising(pairs)
}

function uniquePositions(lines: readonly string[], from: number, to: number): Map<string, number> {
  const found = new Map<string, number>()
  const repeated = new Set<string>()
  for (let at = from; at < to; at++) {
    const line = lines[at]!
    if (found.has(line)) repeated.add(line)
    else found.set(line, at)
  }
  for (const line of repeated) found.delete(line)
  return found
}

/** The longest run of pairs whose positions rise on the new side. The pairs come sorted by their old positions. */
function longestRising(pairs: readonly Anchor[]): Anchor[] {
  const tails: number[] = []
  const previous = Array.from(pairs, () => -1)
  pairs.forEach(([, fresh], at) => {
    let low = 0
    let high = tails.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (pairs[tails[middle]!]![1] < fresh) low = middle + 1
      else high = middle
    }
    if (low > 0) previous[at] = tails[low - 1]!
    tails[low] = at
  })

  const run: Anchor[] = []
  for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at]!) run.unshift(pairs[at]!)
  return run
}

/** Longest common subsequence by table, for small stretches without unique lines. */
function longestCommonLines(before: readonly string[], after: readonly string[], { from, to, start, end }: Hunk) {
  const width = end - start + 1
  const table = new Uint32Array((to - from + 1) * width)
  for (let old = to - from - 1; old >= 0; old--)
    for (let fresh = end - start - 1; fresh >= 0; fresh--)
      table[old * width + fresh] =
        before[from + old] === after[start + fresh]
          ? table[(old + 1) * width + fresh + 1]! + 1
          : Math.max(table[(old + 1) * width + fresh]!, table[old * width + fresh + 1]!)

  const anchors: Anchor[] = []
  let [old, fresh] = [0, 0]
  while (old < to - from && fresh < end - start) {
    if (before[from + old] === after[start + fresh]) anchors.push([from + old++, start + fresh++])
    else if (table[(old + 1) * width + fresh]! >= table[old * width + fresh + 1]!) old++
    else fresh++
  }
  return anchors
}

function joined(hunks: readonly Hunk[]): Hunk[] {
  const whole: Hunk[] = []
  for (const hunk of hunks) {
    const last = whole.at(-1)
    if (last && last.to === hunk.from && last.end === hunk.start) Object.assign(last, { to: hunk.to, end: hunk.end })
    else whole.push({ ...hunk })
  }
  return whole
}
