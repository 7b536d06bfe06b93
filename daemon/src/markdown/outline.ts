import { isBlank, trimBlanks } from './blanks.ts'
import { findFrontmatter } from './frontmatter.ts'

/** A heading with the offsets of its line: `start` of the line, `end` after its line end. */
export type OutlineHeading = { level: number; text: string; line: number; start: number; end: number }

/** One line of a text: its content without line end, where it starts and where the next one does. */
export type TextLine = { text: string; number: number; start: number; end: number }

/** The lines of a text, numbered from 1. */
export function* linesOf(text: string): Generator<TextLine> {
  let start = 0
  for (let number = 1; start < text.length; number++) {
    const feed = text.indexOf('\n', start)
    const end = feed === -1 ? text.length : feed + 1
    const content = text.slice(start, feed === -1 ? end : feed)
    yield { text: content.endsWith('\r') ? content.slice(0, -1) : content, number, start, end }
    start = end
  }
}

/** The lines outside properties and fenced code, where Markdown syntax applies. */
export function* proseLines(text: string): Generator<TextLine> {
  const skip = findFrontmatter(text)?.end ?? 0
  let fence: Fence | undefined

  for (const line of linesOf(text)) {
    if (line.start < skip) continue
    const found = fenceOf(line.text)
    if (fence) {
      if (found && found.mark === fence.mark && found.length >= fence.length && found.info.trim() === '')
        fence = undefined
    } else if (found && !(found.mark === '`' && found.info.includes('`'))) fence = found
    else yield line
  }
}

type Fence = { mark: string; length: number; info: string }

/** The code fence in a line, or undefined. Lines are parsed by hand: regular expressions for them backtrack. */
function fenceOf(line: string): Fence | undefined {
  const start = indentOf(line)
  const mark = line[start]
  if (mark !== '`' && mark !== '~') return undefined
  const end = endOfRun(line, start)
  return end - start < 3 ? undefined : { mark, length: end - start, info: line.slice(end) }
}

/** The heading in a line of `#` marks, or undefined. */
function atxOf(line: string): { level: number; text: string } | undefined {
  const start = indentOf(line)
  if (line[start] !== '#') return undefined
  const end = endOfRun(line, start)
  const level = end - start
  if (level > 6 || (end < line.length && !isBlank(line[end]))) return undefined
  return { level, text: withoutClosingMarks(trimBlanks(line.slice(end))) }
}

function withoutClosingMarks(text: string): string {
  let end = text.length
  while (text[end - 1] === '#') end--
  if (end === 0) return ''
  return isBlank(text[end - 1]) ? trimBlanks(text.slice(0, end)) : text
}

/** Up to three spaces before a mark have no meaning. */
function indentOf(line: string): number {
  let at = 0
  while (at < 3 && line[at] === ' ') at++
  return at
}

function endOfRun(line: string, start: number): number {
  let end = start
  while (end < line.length && line[end] === line[start]) end++
  return end
}

const SETEXT = /^ {0,3}(=+|-+)[ \t]*$/
const NOT_A_PARAGRAPH = /^(?: {0,3}(?:[-*+>#|]|\d+[.)])| {4}|\t|\s*$)/

/** The headings of a note in order. Headings in code or properties do not count. */
export const outlineOf = (text: string): OutlineHeading[] => Array.from(headingsOf(text))

/** Yields the headings one by one, so that a caller that needs the first does not parse the rest. */
export function* headingsOf(text: string): Generator<OutlineHeading> {
  let previous: TextLine | undefined

  for (const line of proseLines(text)) {
    const content = line.number === 1 ? line.text.replace(/^\uFEFF/, '') : line.text
    const atx = atxOf(content)
    const setext = SETEXT.exec(content)
    if (atx) {
      yield { ...atx, line: line.number, start: line.start, end: line.end }
      previous = undefined
    } else if (setext && previous && previous.end === line.start && !NOT_A_PARAGRAPH.test(previous.text)) {
      const level = setext[1]!.startsWith('=') ? 1 : 2
      yield { level, text: previous.text.trim(), line: previous.number, start: previous.start, end: line.end }
      previous = undefined
    } else previous = line
  }
}

const MAX_TITLE = 500

/** The title of a note: its first heading of level 1, else its file name without ending. */
export function titleOf(path: string, outline: Iterable<OutlineHeading>): string {
  for (const { level, text } of outline) {
    const title = level === 1 ? text.trim() : ''
    if (title !== '') return title.slice(0, MAX_TITLE).toWellFormed()
  }
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.(?:md|markdown)$/i, '')
}
