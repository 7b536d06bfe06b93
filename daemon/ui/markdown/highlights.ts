import type { MarkdownIt, StateInline } from 'markdown-it'

/** `==marked==` text. */
export function highlights(md: MarkdownIt) {
  md.inline.ruler.before('emphasis', 'highlight', readHighlight)
}

function readHighlight(state: StateInline, silent: boolean): boolean {
  if (!state.src.startsWith('==', state.pos) || state.src[state.pos - 1] === '=') return false
  const start = state.pos + 2
  const end = state.src.indexOf('==', start)
  if (end <= start || end + 2 > state.posMax || /\s/.test(state.src[start]! + state.src[end - 1]!)) return false

  if (!silent) {
    const max = state.posMax
    state.push('mark_open', 'mark', 1)
    state.pos = start
    state.posMax = end
    state.md.inline.tokenize(state)
    state.push('mark_close', 'mark', -1)
    state.posMax = max
  }
  state.pos = end + 2
  return true
}
