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

/** The lines outside properties and fenced code, where Markdown has its meaning. */
export function* proseLines(text: string): Generator<TextLine> {
  const skip = findFrontmatter(text)?.end ?? 0
  let fence: { mark: string; length: number } | undefined

  for (const line of linesOf(text)) {
    if (line.start < skip) continue
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line.text)
    if (fence) {
      const closes = mark && mark[1]![0] === fence.mark && mark[1]!.length >= fence.length && mark[2]!.trim() === ''
      if (closes) fence = undefined
      continue
    }
    if (mark && !(mark[1]![0] === '`' && mark[2]!.includes('`'))) {
      fence = { mark: mark[1]![0]!, length: mark[1]!.length }
      continue
    }
    yield line
  }
}

const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/
const SETEXT = /^ {0,3}(=+|-+)[ \t]*$/
const NOT_A_PARAGRAPH = /^(?: {0,3}(?:[-*+>#|]|\d+[.)])| {4}|\t|\s*$)/

/** The headings of a note in order. Headings in code or properties are none. */
export function outlineOf(text: string): OutlineHeading[] {
  const headings: OutlineHeading[] = []
  let previous: TextLine | undefined

  for (const line of proseLines(text)) {
    const content = line.number === 1 ? line.text.replace(/^\uFEFF/, '') : line.text
    const atx = ATX.exec(content)
    const setext = SETEXT.exec(content)
    if (atx) {
      headings.push({ level: atx[1]!.length, text: atx[2] ?? '', line: line.number, start: line.start, end: line.end })
      previous = undefined
    } else if (setext && previous && previous.end === line.start && !NOT_A_PARAGRAPH.test(previous.text)) {
      const level = setext[1]!.startsWith('=') ? 1 : 2
      headings.push({ level, text: previous.text.trim(), line: previous.number, start: previous.start, end: line.end })
      previous = undefined
    } else previous = line
  }
  return headings
}

/** The title of a note: its first heading of level 1, else its file name without ending. */
export function titleOf(path: string, outline: readonly OutlineHeading[]): string {
  const heading = outline.find(({ level, text }) => level === 1 && text.trim() !== '')
  return heading ? heading.text.trim() : path.slice(path.lastIndexOf('/') + 1).replace(/\.(?:md|markdown)$/i, '')
}
