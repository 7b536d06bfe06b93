import { diffLines } from '../saving/diff-lines.ts'

/** A stretch of lines in the comparison with an older text. `hunk` is the number of the change that it belongs to. */
export type Stretch =
  | { kind: 'same'; lines: readonly string[] }
  | { kind: 'folded'; lines: readonly string[] }
  | { kind: 'added' | 'removed'; lines: readonly string[]; hunk: number }

const CONTEXT = 3

/** The changes of a version with some lines of context; longer unchanged ranges are folded. Pure. */
export function changedLines(before: string, after: string): Stretch[] {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const stretches: Stretch[] = []
  const push = (stretch: Stretch) => {
    if (stretch.lines.length > 0) stretches.push(stretch)
  }
  let at = 0
  const same = (end: number, around: 'start' | 'between' | 'end') => {
    const head = around === 'start' ? 0 : CONTEXT
    const tail = around === 'end' ? 0 : CONTEXT
    const lines = fresh.slice(at, end)
    if (lines.length <= head + tail + 1) return push({ kind: 'same', lines })
    push({ kind: 'same', lines: lines.slice(0, head) })
    push({ kind: 'folded', lines: lines.slice(head, lines.length - tail) })
    push({ kind: 'same', lines: lines.slice(lines.length - tail) })
  }
  const hunks = diffLines(old, fresh)
  hunks.forEach(({ from, to, start, end }, nth) => {
    same(start, nth === 0 ? 'start' : 'between')
    push({ kind: 'removed', lines: old.slice(from, to), hunk: nth })
    push({ kind: 'added', lines: fresh.slice(start, end), hunk: nth })
    at = end
  })
  if (hunks.length > 0) same(fresh.length, 'end')
  return stretches
}

/** The lines of a text; none of an empty one. */
export const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'))
