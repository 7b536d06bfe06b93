import { withoutBom } from './editor-text.ts'
import { diffLines } from './line-diff.ts'

const BOM = '\uFEFF'

type Line = { text: string; end: string }

/**
 * The file's text after an edit: restores byte order mark and line ends of `original`, line by line where the file
 * mixes them. Untouched lines stay exactly as they were.
 */
export function toFileText(original: string, edited: string): string {
  const bom = original.startsWith(BOM) ? BOM : ''
  const end = onlyEnd(original)
  if (end === '\n') return bom + edited
  if (end !== undefined) return bom + edited.replaceAll('\n', end)
  return bom + withEnds(splitEnds(withoutBom(original)), edited.split('\n'))
}

/** The one line end that a text uses, or undefined when it mixes them. */
function onlyEnd(text: string): string | undefined {
  if (!text.includes('\r')) return '\n'
  if (!/\r(?!\n)|(?<!\r)\n/.test(text)) return '\r\n'
  return text.includes('\n') ? undefined : '\r'
}

function withEnds(lines: readonly Line[], edited: readonly string[]): string {
  const ends = endsFor(lines, edited)
  const parts: string[] = []
  let previous = ''
  edited.forEach((text, at) => {
    const end = at === edited.length - 1 ? '' : ends[at]!
    // A lone \r before an empty line would merge with its \n into one line end.
    const safe = text === '' && end === '\n' && previous === '\r' ? '\r\n' : end
    parts.push(text, safe)
    previous = safe
  })
  return parts.join('')
}

/**
 * The line end of each edited line: its own if the line was there before, otherwise that of the line it replaces,
 * otherwise that of a neighbour.
 */
function endsFor(lines: readonly Line[], edited: readonly string[]): string[] {
  const most = commonest(lines)
  const before = lines.map(({ text }) => text)
  const ends: string[] = []
  const take = (old: number | undefined) => {
    const own = old === undefined ? '' : lines[old]!.end
    ends.push(own || ends.at(-1) || most)
  }

  let old = 0
  const tail = { fromA: lines.length, toA: lines.length, fromB: edited.length, toB: edited.length }
  for (const { fromA, toA, fromB, toB } of [...diffLines(before, edited), tail]) {
    while (old < fromA) take(old++)
    for (let at = fromB; at < toB; at++) take(fromA + at - fromB < toA ? fromA + at - fromB : undefined)
    old = toA
  }
  return ends
}

function commonest(lines: readonly Line[]): string {
  const counts = new Map<string, number>()
  for (const { end } of lines) if (end !== '') counts.set(end, (counts.get(end) ?? 0) + 1)
  return [...counts].toSorted((one, other) => other[1] - one[1])[0]?.[0] ?? '\n'
}

function splitEnds(text: string): Line[] {
  const parts = text.split(/(\r\n|\r|\n)/)
  const lines: Line[] = []
  for (let at = 0; at < parts.length; at += 2) lines.push({ text: parts[at]!, end: parts[at + 1] ?? '' })
  return lines
}
