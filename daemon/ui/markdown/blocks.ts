import type { MarkdownIt, StateCore, Token } from 'markdown-it'
import { escapeHtml } from './safe-html.ts'
import { placeOf } from './place.ts'

/** Adds to every block its line in the note and its `^id`, and replaces inline styles by classes. */
export function blocks(md: MarkdownIt) {
  md.core.ruler.push('block_ids', ({ tokens }) => tokens.forEach((token, at) => takeBlockId(token, tokens[at - 1])))
  md.core.ruler.push('source_lines', addLines)
  md.core.ruler.push('cell_alignment', ({ tokens }) => tokens.forEach(classForStyle))

  md.renderer.rules.table_open = (tokens, at, options, _env, renderer) =>
    `<div class="table" tabindex="0" role="group" aria-label="Table">${renderer.renderToken(tokens, at, options)}`
  md.renderer.rules.table_close = () => '</table></div>'
  md.renderer.rules.fence = (tokens, at) => code(tokens[at]!)
  md.renderer.rules.code_block = (tokens, at) => code(tokens[at]!)
}

function addLines({ tokens, env }: StateCore) {
  const { firstLine } = placeOf(env)
  for (const token of tokens)
    if (token.map && token.nesting >= 0 && token.type !== 'inline') token.attrSet('data-line', token.map[0] + firstLine)
}

function takeBlockId(token: Token, opener: Token | undefined) {
  const last = token.type === 'inline' ? token.children?.at(-1) : undefined
  const found = last?.type === 'text' ? /(?:^|\s)\^([A-Za-z0-9-]+)$/.exec(last.content) : null
  if (!found || !last || !opener) return
  last.content = last.content.slice(0, found.index)
  opener.attrSet('id', `b-${found[1]!.toLowerCase()}`)
}

function classForStyle(token: Token) {
  const align = /text-align:(\w+)/.exec(String(token.attrGet('style') ?? ''))?.[1]
  if (align === undefined) return
  token.attrs = token.attrs!.filter(([name]) => name !== 'style')
  token.attrSet('class', `align-${align}`)
}

function code({ content, info, attrs }: Token): string {
  const language = escapeHtml(info.trim().split(/\s+/)[0] ?? '')
  const line = attrs?.find(([name]) => name === 'data-line')?.[1] ?? ''
  const label = language === '' ? '' : `<span class="language">${language}</span>`
  return (
    `<div class="code" data-line="${line}"><div class="code-bar">${label}` +
    `<button type="button" class="copy">Copy</button></div>` +
    `<pre tabindex="0"><code${language === '' ? '' : ` data-language="${language}"`}>${escapeHtml(content)}</code></pre></div>`
  )
}
