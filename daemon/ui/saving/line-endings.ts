import { diffLines } from './diff-lines.ts'

const BOM = '\uFEFF'

type Line = { text: string; end: string }

/** A file's text as the editor has it: no byte order mark, every line ended by `\n`. */
export function toEditorText(file: string): string {
  return withoutBom(file).replace(/\r\n?/g, '\n')
}

/**
 * The file's text after an edit: byte order mark and line endings of `original` are put back, line by line where the
 * file mixes them. Lines that were not touched come out exactly as they were.
 */
export function toFileText(original: string, edited: string): string {
  const bom = original.startsWith(BOM) ? BOM : ''
  const lines = splitLines(withoutBom(original))
  const ends = new Set(lines.slice(0, -1).map(({ end }) => end))
  const [only] = ends
  if (ends.size === 0 || (ends.size === 1 && only === '\n')) return bom + edited
  if (ends.size === 1) return bom + edited.replaceAll('\n', only!)

  return bom + withEndings(lines, edited.split('\n'))
}

function withEndings(lines: readonly Line[], edited: readonly string[]): string {
  const ends = endings(lines, edited)
  let file = ''
  edited.forEach((text, at) => {
    const end = at === edited.length - 1 ? '' : ends[at]!
    // A lone \r before an empty line would run together with its \n into one ending.
    file += text === '' && end === '\n' && file.endsWith('\r') ? '\r\n' : text + end
  })
  return file
}

/** One ending for each edited line: its own if the line was there, its predecessor's in place, else its neighbour's. */
function endings(lines: readonly Line[], edited: readonly string[]): string[] {
  const most = commonest(lines)
  const before = lines.map(({ text }) => text)
  const ends: string[] = []
  const take = (old: number | undefined) => {
    const own = old === undefined ? '' : lines[old]!.end
    ends.push(own || ends.at(-1) || most)
  }

  let old = 0
  for (const { from, to, start, end } of [...diffLines(before, edited), tail(lines.length, edited.length)]) {
    while (old < from) take(old++)
    for (let at = start; at < end; at++) take(from + at - start < to ? from + at - start : undefined)
    old = to
  }
  return ends
}

const tail = (lines: number, edited: number) => ({ from: lines, to: lines, start: edited, end: edited })

function commonest(lines: readonly Line[]): string {
  const counts = new Map<string, number>()
  for (const { end } of lines) if (end !== '') counts.set(end, (counts.get(end) ?? 0) + 1)
  return [...counts].toSorted((one, other) => other[1] - one[1])[0]?.[0] ?? '\n'
}

function splitLines(text: string): Line[] {
  const parts = text.split(/(\r\n|\r|\n)/)
  const lines: Line[] = []
  for (let at = 0; at < parts.length; at += 2) lines.push({ text: parts[at]!, end: parts[at + 1] ?? '' })
  return lines
}

const withoutBom = (text: string) => (text.startsWith(BOM) ? text.slice(1) : text)
