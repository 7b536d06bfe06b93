import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it'
import { escapeHtml } from './safe-html.ts'

/**
 * Mathematics: `$inline$`, `$$display$$` within a paragraph, and a block between two lines of `$$`. The text between
 * the marks is taken literally, so `_` and `*` in it mean nothing. It is shown as text until `fillMath` renders it.
 */
export function math(md: MarkdownIt) {
  md.inline.ruler.before('escape', 'math', readInline)
  md.block.ruler.before('fence', 'math_block', readBlock, { alt: ['paragraph', 'blockquote', 'list'] })
  md.renderer.rules.math = (tokens, at) => span(tokens[at]!.content, tokens[at]!.markup)
  md.renderer.rules.math_block = (tokens, at) => {
    const line = tokens[at]!.attrGet('data-line')
    return `<div class="math-block" data-line="${line ?? ''}">${span(tokens[at]!.content, '$$')}</div>`
  }
}

function span(tex: string, mark: string): string {
  return `<span class="math" data-math="${mark === '$$' ? 'display' : 'inline'}">${escapeHtml(tex)}</span>`
}

const DOLLAR = 0x24
const BACKSLASH = 0x5c
const isBlank = (character: string | undefined) => character === undefined || /\s/.test(character)

function readInline(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state
  if (src.charCodeAt(pos) !== DOLLAR) return false
  const mark = src.charCodeAt(pos + 1) === DOLLAR ? '$$' : '$'
  const start = pos + mark.length
  // Distinguishes formulas from prices: a formula has no blank inside either mark, and no digit after the closing one.
  if (mark === '$' && isBlank(src[start])) return false
  const end = closersOf(state)[mark][start]
  if (end === undefined || end === NONE || end + mark.length > posMax || end === start) return false
  if (!silent) {
    const token = state.push('math', '', 0)
    token.content = src.slice(start, end).trim()
    token.markup = mark
  }
  state.pos = end + mark.length
  return true
}

const NONE = -1
type Closers = Record<'$' | '$$', Int32Array>
const closers = new WeakMap<StateInline, { src: string; closers: Closers }>()

/**
 * For each position of a text, the position of the next closing mark. Computed once per text, from its end, in linear
 * time.
 */
function closersOf(state: StateInline): Closers {
  const known = closers.get(state)
  if (known?.src === state.src) return known.closers
  const { src } = state
  const found: Closers = { $: new Int32Array(src.length + 1).fill(NONE), $$: new Int32Array(src.length + 1).fill(NONE) }
  for (let at = src.length - 1; at >= 0; at--) {
    found.$[at] = found.$[at + 1]!
    found.$$[at] = found.$$[at + 1]!
    if (src.charCodeAt(at) !== DOLLAR || src.charCodeAt(at - 1) === BACKSLASH) continue
    if (src.charCodeAt(at + 1) === DOLLAR) found.$$[at] = at
    else if (!isBlank(src[at - 1]) && !/[0-9]/.test(src[at + 1] ?? '')) found.$[at] = at
  }
  closers.set(state, { src, closers: found })
  return found
}

function readBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const lineAt = (line: number) =>
    state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]!).trim()
  if (lineAt(startLine) !== '$$' || state.sCount[startLine]! - state.blkIndent >= 4) return false
  if (silent) return true
  let line = startLine + 1
  while (line < endLine && lineAt(line) !== '$$' && state.sCount[line]! >= state.blkIndent) line++
  const token = state.push('math_block', '', 0)
  token.content = state.getLines(startLine + 1, line, state.blkIndent, false).trim()
  token.map = [startLine, Math.min(line + 1, endLine)]
  state.line = Math.min(line + 1, endLine)
  return true
}
