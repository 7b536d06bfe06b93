import { parseLinkTarget } from '../links/link-target.ts'
import { emphasisMarks } from './emphasis-marks.ts'

/** A link in a line: its target, and the position of the words that the reader sees. */
export type LineLink = { kind: 'wiki' | 'markdown'; target: string; start: number; end: number }

/** The callbacks of `lineMarks`. */
export type LineReader = {
  hide: (start: number, end: number, instead?: string) => void
  link: (link: LineLink) => void
  /** Whether a range contains a hit of the search. */
  holdsHit: (start: number, end: number) => boolean
}

const ESCAPABLE = /[!-/:-@[-`{-~]/
const TAG = /^<\/?[a-z]/i
export const SEPARATOR = ' · '
const SIZE = /^\d+(?:x\d+)?$/
const AUTOLINK = /^<(?:[a-z][a-z0-9+.-]*:[^\s<>]*|[^\s<>@]+@[^\s<>]+)>$/i

/**
 * Reports which characters of a Markdown line are marks. An address or target that contains a hit is shown after its
 * words, and an HTML tag that contains a hit stays. Linear: the result of each search for an end is remembered and
 * reused.
 */
export function lineMarks(line: string, tell: LineReader) {
  const next = rememberedSearch(line)
  const closingTicks = tickRuns(line)

  function wikiLink(at: number, to: number): number {
    const end = next(']]', at + 2)
    if (end === -1 || end + 2 > to) {
      tell.hide(at, at + 2)
      return at + 2
    }
    const inner = next('[', at + 2)
    if (end === at + 2 || (inner !== -1 && inner < end)) return at + 1

    const inside = line.slice(at + 2, end)
    const { target, alias } = parseLinkTarget(inside)
    const bar = inside.search(/\\?\|/)
    // In an embedded picture, the text after the bar is its size.
    const isNamed = alias !== undefined && !SIZE.test(alias)
    const start = isNamed ? at + 2 + inside.indexOf('|') + 1 : at + 2
    const wordsEnd = isNamed || bar === -1 ? end : at + 2 + bar
    tell.hide(line[at - 1] === '!' ? at - 1 : at, at + 2)
    if (bar !== -1) {
      const barEnd = at + 2 + inside.indexOf('|') + 1
      const [from, to] = isNamed ? [at + 2, at + 2 + bar] : [barEnd, end]
      if (tell.holdsHit(from, to)) tell.hide(at + 2 + bar, barEnd, SEPARATOR)
      else tell.hide(Math.min(from, at + 2 + bar), Math.max(to, barEnd))
    }
    const hash = isNamed ? -1 : next('#', start)
    if (hash !== -1 && hash < wordsEnd) tell.hide(hash, hash + 1, hash === start ? '' : ' › ')
    tell.hide(end, end + 2)
    tell.link({ kind: 'wiki', target, start, end: wordsEnd })
    return end + 2
  }

  /** The position of the closing mark of the address or reference name after a link's words; -1 if there is none. */
  function addressEnd(at: number, to: number): number {
    const close = line[at] === '(' ? ')' : line[at] === '[' ? ']' : undefined
    const end = close === undefined ? -1 : next(close, at + 1)
    if (end === -1 || end >= to) return -1
    if (line.startsWith('(<', at)) {
      const bracket = next('>)', at + 2)
      if (bracket !== -1 && bracket + 1 < to) return bracket + 1
    }
    // Allow one pair of parentheses inside an address, as in addresses of Wikipedia.
    const inner = close === ')' ? next('(', at + 1) : -1
    if (inner === -1 || inner > end) return end
    return line[end + 1] === ')' && end + 1 < to ? end + 1 : end
  }

  /** Reports the marks of a stretch without a line break, such as the text of a paragraph's line or of a cell. */
  return function read(from: number, to: number) {
    const emphasis = emphasisMarks(line, { from, to }, tell.hide)
    const open: number[] = []
    for (let at = from; at < to;) {
      const char = line[at]!
      if (char === '\\' && at + 1 < to && ESCAPABLE.test(line[at + 1]!)) {
        tell.hide(at, at + 1)
        at += 2
      } else if (char === '`') {
        const { length, closing } = closingTicks(at)
        if (closing !== undefined && closing + length <= to) {
          tell.hide(at, at + length)
          tell.hide(closing, closing + length)
          at = closing + length
        } else at += length
      } else if (char === '[' && line[at + 1] === '[') at = wikiLink(at, to)
      else if (char === '[') open.push(at++)
      else if (char === ']') {
        const start = open.pop()
        const end = start === undefined ? -1 : addressEnd(at + 1, to)
        if (start !== undefined && end !== -1) {
          tell.hide(line[start - 1] === '!' ? start - 1 : start, start + 1)
          if (tell.holdsHit(at + 2, end)) {
            tell.hide(at, at + 2, SEPARATOR)
            tell.hide(end, end + 1)
          } else tell.hide(at, end + 1)
          const target = line.slice(at + 2, end).trim()
          if (line[at + 1] === '(') tell.link({ kind: 'markdown', target, start: start + 1, end: at })
        } else if (start === undefined && line[at + 1] === ']') tell.hide(at, at + 2)
        at = Math.max(at, end) + 1
      } else if (char === '<') {
        const end = next('>', at + 1)
        const inner = next('<', at + 1)
        const isClosed = end !== -1 && end < to && (inner === -1 || inner > end)
        const tag = isClosed ? line.slice(at, end + 1) : ''
        if (AUTOLINK.test(tag)) {
          tell.hide(at, at + 1)
          tell.hide(end, end + 1)
          at = end + 1
        } else if (TAG.test(tag)) {
          if (!tell.holdsHit(at, end)) tell.hide(at, end + 1, /^<br\b/i.test(tag) ? ' ' : '')
          at = end + 1
        } else at++
      } else at = emphasis(at)
    }
  }
}

/** `indexOf` for positions that never decrease, so that all searches for one word together take linear time. */
function rememberedSearch(line: string) {
  const found = new Map<string, number>()
  return (word: string, from: number): number => {
    const known = found.get(word)
    if (known !== undefined && (known === -1 || known >= from)) return known
    const at = line.indexOf(word, from)
    found.set(word, at)
    return at
  }
}

/**
 * Returns a function that gives, for a run of backticks, its length and the position of the next run of the same
 * length.
 */
function tickRuns(line: string) {
  const lengths = new Map<number, number>()
  const closing = new Map<number, number>()
  const last = new Map<number, number>()
  for (const { index, 0: run } of line.matchAll(/`+/g)) {
    lengths.set(index, run.length)
    const before = last.get(run.length)
    if (before !== undefined) closing.set(before, index)
    last.set(run.length, index)
  }
  return (at: number) => ({ length: lengths.get(at) ?? 1, closing: closing.get(at) })
}
