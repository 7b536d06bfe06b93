import { findHeadingLine, type OutlineEntry } from './headings.ts'

/**
 * A part of a long note. `line` and `last` are its first and last line. `fence` is the fence of a code block that began
 * in an earlier part. `isOpen` is true if the part ends inside a code block.
 */
export type NotePart = {
  from: number
  to: number
  line: number
  last: number
  fence?: string | undefined
  isOpen?: boolean
}

/** The reading view shows a note up to this length, and up to this number of lines, as a whole. */
export const LONGEST_WHOLE = 300_000
const MOST_WHOLE = 20_000
const LONGEST_PART = 150_000
const MOST_LINES = 5_000
// From this length on, a part ends at the next possible place.
const SHORTEST_PART = LONGEST_PART / 2
const FEWEST_LINES = MOST_LINES / 2

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const LONGEST_FENCE = 1000
// How a line begins that may continue a block after a blank line: list items, indented text, quotes and tables.
const CONTINUES = /[ \t>|*+\-0-9]/

/**
 * Divides a note into parts that a browser shows quickly. A part ends at a blank line between two blocks if possible,
 * otherwise at the end of a line. A line that is longer than a part is cut. Takes time linear in the length. Pure.
 */
export function partsOf(text: string): NotePart[] {
  if (!isLong(text)) return [{ from: 0, to: text.length, line: 1, last: countLines(text) }]
  const parts: NotePart[] = []
  let part = { from: 0, line: 1, fence: undefined as string | undefined }
  let fence: string | undefined
  let line = 1
  let isAfterBlank = false
  const cut = (at: number, last: number) => {
    parts.push({ ...part, to: at, last, isOpen: fence !== undefined })
    part = { from: at, line, fence }
  }
  for (let at = 0; at < text.length; line++) {
    const newline = text.indexOf('\n', at)
    const next = newline < 0 ? text.length : newline + 1
    const isBetween = isAfterBlank && fence === undefined && !CONTINUES.test(text[at]!)
    const isFull = next - part.from > LONGEST_PART || line - part.line >= MOST_LINES
    const isEnough = at - part.from > SHORTEST_PART || line - part.line >= FEWEST_LINES
    if (at > part.from && (isFull || (isBetween && isEnough))) cut(at, line - 1)
    while (next - part.from > LONGEST_PART) cut(wholeCharacter(text, part.from + LONGEST_PART), line)

    isAfterBlank = false
    if (mayMatter(text.charCodeAt(at))) {
      const source = text.slice(at, Math.min(next, at + LONGEST_FENCE)).trimEnd()
      isAfterBlank = source === '' && next - at < LONGEST_FENCE
      const marks = FENCE.exec(source)?.[1]
      if (marks !== undefined && fence === undefined) fence = marks
      else if (fence !== undefined && marks?.startsWith(fence) && source.trim() === marks) fence = undefined
    }
    at = next
  }
  if (part.from < text.length) cut(text.length, line - 1)
  return parts
}

/** Whether the reading view shows a note in parts. */
export const isLong = (text: string): boolean =>
  text.length > LONGEST_WHOLE || (text.length > MOST_WHOLE && countLines(text) > MOST_WHOLE)

/**
 * Whether a line that begins with this character may be blank or a fence: white space, a backtick or `~`. Most lines
 * are neither and need no further check.
 */
const mayMatter = (code: number) => code <= 32 || code === 96 || code === 126 || code >= 160

/** The index of the part that contains a line; the first of them if a line is split. */
export function partAt(parts: readonly NotePart[], line: number): number {
  const found = parts.findIndex(({ last }) => last >= line)
  return found < 0 ? parts.length - 1 : found
}

/** The line of a `^block` name; undefined if no line ends with it. */
export function lineOfBlock(text: string, name: string): number | undefined {
  const wanted = `^${name.toLowerCase()}`
  const searched = text.toLowerCase()
  for (let at = searched.indexOf(wanted); at >= 0; at = searched.indexOf(wanted, at + wanted.length)) {
    const end = at + wanted.length
    if (end === searched.length || /\s/.test(searched[end]!)) return countLines(searched.slice(0, at))
  }
  return undefined
}

/** The line of a heading or a `^block` that a link names. */
export function lineNamed(text: string, outline: readonly OutlineEntry[], name: string): number | undefined {
  return name.startsWith('^') ? lineOfBlock(text, name.slice(1)) : findHeadingLine(outline, name)
}

const DEFINITION = /^ {0,3}\[[^\]]+\]:/
const LONGEST_DEFINITION = 2_000
const MOST_DEFINITIONS = 1_000

/** Whether a line that begins with this character (a blank or `[`) may be a definition. */
const mayDefine = (code: number) => code === 32 || code === 91

/** The definitions of links and footnotes outside a part, which references in the part may need. */
export function definitionsOutside(text: string, { from, to }: NotePart): string[] {
  const found: string[] = []
  for (let at = 0; at < text.length && found.length < MOST_DEFINITIONS;) {
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline
    const isOutside = at < from || at >= to
    if (isOutside && mayDefine(text.charCodeAt(at)) && end - at <= LONGEST_DEFINITION) {
      const line = text.slice(at, end)
      if (DEFINITION.test(line)) found.push(line)
    }
    at = end + 1
  }
  return found
}

/** The position itself, or the one before if it would split a surrogate pair. */
const wholeCharacter = (text: string, at: number): number =>
  /[\uD800-\uDBFF]/.test(text[at - 1]!) && /[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at - 1 : at

function countLines(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}
