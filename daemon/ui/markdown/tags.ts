import type { MarkdownIt, StateInline } from 'markdown-it'
import { escapeHtml } from './safe-html.ts'

const TAG = /^#([\p{L}\p{N}\p{M}_/-]+)/u

/** `#tag` and `#nested/tag`; a number alone is not a tag. */
export function tags(md: MarkdownIt) {
  md.inline.ruler.push('tag', readTag)
  md.renderer.rules.tag = (tokens, at) => {
    const tag = escapeHtml(tokens[at]!.content)
    return `<button type="button" class="tag" data-tag="${tag}">#${tag}</button>`
  }
}

function readTag(state: StateInline, silent: boolean): boolean {
  if (state.src[state.pos] !== '#') return false
  const before = state.pos === 0 ? '' : state.src[state.pos - 1]!
  if (before !== '' && !/[\s(]/.test(before)) return false
  const name = TAG.exec(state.src.slice(state.pos, state.posMax))?.[1]
  if (name === undefined || /^[\d/-]+$/.test(name)) return false
  if (!silent) state.push('tag', '', 0).content = name
  state.pos += name.length + 1
  return true
}
