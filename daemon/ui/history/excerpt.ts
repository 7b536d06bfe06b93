import type { Stretch } from './changed-lines.ts'

/** What a page shows of a version's changes. Of folded lines it shows only the number. */
export type Shown =
  | { kind: 'same'; text: string }
  | { kind: 'added' | 'removed'; text: string; hunk: number }
  | { kind: 'folded'; count: number }

// A browser lays out a text as a whole, so megabytes of it would block the page.
const MOST_SHOWN = 200_000
const MOST_IN_ONE = 50_000
const LONG = 10_000
const AROUND = 300
const LEFT_OUT = ' … '

/**
 * Shortens the changes of a version to what a browser shows quickly. Of a long changed line, only the change and its
 * surroundings stay. `hidden` is the number of changed characters that were left out. Pure.
 */
export function excerpt(stretches: readonly Stretch[]): { shown: Shown[]; hidden: number } {
  const texts = stretches.map(({ lines }) => lines.join('\n'))
  stretches.forEach(({ kind }, at) => {
    if (kind === 'removed' && stretches[at + 1]?.kind === 'added')
      [texts[at], texts[at + 1]] = whereTheyDiffer(texts[at]!, texts[at + 1]!)
    else if (kind === 'same' && texts[at]!.length > LONG)
      texts[at] = upTo(texts[at]!, AROUND) + LEFT_OUT + since(texts[at]!, texts[at]!.length - AROUND)
  })

  let room = MOST_SHOWN
  let hidden = 0
  const shown = stretches.flatMap((stretch, at): Shown[] => {
    if (stretch.kind === 'folded') return [{ kind: 'folded', count: stretch.lines.length }]
    const text = upTo(texts[at]!, Math.min(room, MOST_IN_ONE))
    room -= text.length
    if (stretch.kind !== 'same') hidden += texts[at]!.length - text.length
    if (text === '' && texts[at] !== '') return []
    return [stretch.kind === 'same' ? { kind: 'same', text } : { kind: stretch.kind, text, hunk: stretch.hunk }]
  })
  return { shown, hidden }
}

function whereTheyDiffer(before: string, after: string): [string, string] {
  const most = Math.min(before.length, after.length)
  if (Math.max(before.length, after.length) <= LONG) return [before, after]
  let head = 0
  while (head < most && before.charCodeAt(head) === after.charCodeAt(head)) head++
  let tail = 0
  while (
    tail < most - head &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail++
  const [from, left] = [head - AROUND, tail - AROUND]
  const cut = (text: string) =>
    (from > 0 ? LEFT_OUT : '') +
    upTo(since(text, Math.max(0, from)), text.length - Math.max(0, left) - Math.max(0, from)) +
    (left > 0 ? LEFT_OUT : '')
  return [cut(before), cut(after)]
}

/** Cuts a text without splitting a surrogate pair. */
const upTo = (text: string, end: number): string => text.slice(0, isWithin(text, end) ? end - 1 : end)
const since = (text: string, start: number): string => text.slice(isWithin(text, start) ? start - 1 : start)
const isWithin = (text: string, at: number): boolean =>
  at > 0 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00
