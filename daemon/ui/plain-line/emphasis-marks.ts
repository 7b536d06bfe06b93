type Stretch = { from: number; to: number }
type Run = { end: number; left: number }

const BLANK = /\s/
const PUNCTUATION = /[\p{P}\p{S}]/u

/**
 * Finds the pairs of marks for bold, italic, struck and highlighted words in a stretch of a line, and calls `hide` for
 * them. Returns a function that reads the character or run of marks at a position, and returns the next position.
 * Linear.
 */
export function emphasisMarks(line: string, { from, to }: Stretch, hide: (start: number, end: number) => void) {
  const openRuns: Record<string, Run[]> = { '*': [], _: [], '~': [], '=': [] }

  return (at: number): number => {
    const char = line[at]!
    const open = openRuns[char]
    if (open === undefined) return at + 1
    let end = at + 1
    while (end < to && line[end] === char) end++
    const isPair = char === '~' || char === '='
    if (isPair && end - at !== 2) return end

    const { opens, closes } = sides(at > from ? line[at - 1] : undefined, end < to ? line[end] : undefined, char)
    let start = at
    while (closes && start < end && open.length > 0) {
      const run = open.at(-1)!
      const count = Math.min(run.left, end - start)
      hide(run.end - count, run.end)
      hide(start, start + count)
      run.end -= count
      run.left -= count
      start += count
      if (run.left === 0) open.pop()
    }
    if (opens && start < end) open.push({ end, left: end - start })
    return end
  }
}

/** Whether a run of marks may begin or end emphasis, by the characters around it, as CommonMark says. */
function sides(before: string | undefined, after: string | undefined, char: string) {
  const blank = (neighbour: string | undefined) => neighbour === undefined || BLANK.test(neighbour)
  const mark = (neighbour: string | undefined) => neighbour !== undefined && PUNCTUATION.test(neighbour)
  const left = !blank(after) && (!mark(after) || blank(before) || mark(before))
  const right = !blank(before) && (!mark(before) || blank(after) || mark(after))
  if (char !== '_') return { opens: left, closes: right }
  return { opens: left && (!right || mark(before)), closes: right && (!left || mark(after)) }
}
