import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it'

/** `%%comments%%`, in a line or over lines, which are not shown. */
export function comments(md: MarkdownIt) {
  md.block.ruler.before('fence', 'comment', readBlock, { alt: ['paragraph', 'blockquote', 'list'] })
  md.inline.ruler.push('comment', readInline)
}

function readBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const lineAt = (line: number) => state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line])
  const first = lineAt(startLine)
  if (!first.startsWith('%%') || first.indexOf('%%', 2) !== -1) return false
  let last = startLine + 1
  while (last < endLine && !lineAt(last).includes('%%')) last++
  if (last >= endLine) return false
  if (!silent) state.line = last + 1
  return true
}

function readInline(state: StateInline): boolean {
  if (!state.src.startsWith('%%', state.pos)) return false
  const end = state.src.indexOf('%%', state.pos + 2)
  if (end === -1 || end + 2 > state.posMax) return false
  state.pos = end + 2
  return true
}
