import { fail } from '@svc/shared/wire/errors.ts'
import { splitLines } from './line-diff.ts'
import { findSection } from './sections.ts'

/** The wanted part of a note: a section, lines such as `10-80`, and a maximum number of characters. */
export type PartWanted = { text: string; section?: string | undefined; lines?: string | undefined; maxChars: number }

/** Whole lines of a note from `firstLine` on; `nextLine` is where to continue when the text was cut. */
export type NotePart = { content: string; firstLine: number; truncated: boolean; nextLine?: number }

/** Picks the part of a note that is wanted; an unknown section is `match_count`. */
export function selectPart({ text, section, lines, maxChars }: PartWanted): NotePart {
  return cut(selectLines(text, section, lines), maxChars)
}

type Lines = { lines: string[]; firstLine: number }

function selectLines(content: string, section: string | undefined, lines: string | undefined): Lines {
  const all = splitLines(content)
  let [from, to] = [1, all.length]
  if (section !== undefined) {
    const found = findSection(content, { section })
    if (found.kind === 'not_one') {
      const next = 'Pass the text of a candidate as section; of several with one name, Parent > Child or lines.'
      throw fail('match_count', { expected: 1, count: found.count, candidates: found.candidates, next })
    }
    const { heading, whole } = found.section
    from = heading.line
    to = from + splitLines(content.slice(whole.start, whole.end)).length - 1
  }
  if (lines !== undefined) {
    const [first, last] = lines.split('-').map(Number)
    const most = { from, to }
    from = Math.max(from, first!)
    to = Math.min(to, lines.endsWith('-') ? to : (last ?? first!))
    if (from > to && most.from <= most.to)
      throw fail('invalid_request', [{ path: 'lines', message: `names none of the lines ${most.from}-${most.to}` }])
  }
  return { lines: all.slice(from - 1, to), firstLine: from }
}

/** Whole lines up to the limit; a single line that is longer is cut. */
function cut({ lines, firstLine }: Lines, maxChars: number): NotePart {
  let [count, length] = [0, 0]
  while (count < lines.length && length + lines[count]!.length <= maxChars) length += lines[count++]!.length
  if (count === lines.length) return { content: lines.join(''), firstLine, truncated: false }
  if (count === 0)
    return { content: lines[0]!.slice(0, maxChars).toWellFormed(), firstLine, truncated: true, nextLine: firstLine + 1 }
  return { content: lines.slice(0, count).join(''), firstLine, truncated: true, nextLine: firstLine + count }
}
