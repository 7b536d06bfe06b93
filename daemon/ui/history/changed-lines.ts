import { diffLines } from '../saving/diff-lines.ts'

/** A range of lines, compared with an older text. */
export type Stretch = { kind: 'same' | 'added' | 'removed' | 'folded'; lines: readonly string[] }

const CONTEXT = 3

/** The changes of a version with some lines of context; longer unchanged ranges are folded. Pure. */
export function changedLines(before: string, after: string): Stretch[] {
  const [old, fresh] = [before === '' ? [] : before.split('\n'), after === '' ? [] : after.split('\n')]
  const stretches: Stretch[] = []
  const push = (kind: Stretch['kind'], lines: readonly string[]) => {
    if (lines.length > 0) stretches.push({ kind, lines })
  }
  let at = 0
  const same = (end: number, around: 'start' | 'between' | 'end') => {
    const head = around === 'start' ? 0 : CONTEXT
    const tail = around === 'end' ? 0 : CONTEXT
    const lines = fresh.slice(at, end)
    if (lines.length <= head + tail + 1) return push('same', lines)
    push('same', lines.slice(0, head))
    push('folded', lines.slice(head, lines.length - tail))
    push('same', lines.slice(lines.length - tail))
  }
  const hunks = diffLines(old, fresh)
  hunks.forEach(({ from, to, start, end }, nth) => {
    same(start, nth === 0 ? 'start' : 'between')
    push('removed', old.slice(from, to))
    push('added', fresh.slice(start, end))
    at = end
  })
  if (hunks.length > 0) same(fresh.length, 'end')
  return stretches
}
