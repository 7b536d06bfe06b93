import type { MarkdownIt, StateCore, Token } from 'markdown-it'

const HEAD = /^\[!([\w-]+)\]([+-]?)[ \t]*([^\n]*)\n?/

/** Kinds that look alike, by Obsidian's names. Unknown kinds look like a note. */
const looks: [string, string[]][] = [
  ['info', ['note', 'info', 'todo']],
  ['tip', ['tip', 'hint', 'important', 'abstract', 'summary', 'tldr']],
  ['success', ['success', 'check', 'done']],
  ['warning', ['warning', 'caution', 'attention', 'question', 'help', 'faq']],
  ['danger', ['danger', 'error', 'failure', 'fail', 'missing', 'bug']],
  ['example', ['example']],
  ['quote', ['quote', 'cite']],
]

/** `> [!note] Title` blocks; with `+` or `-` after the kind they fold. */
export function callouts(md: MarkdownIt) {
  md.core.ruler.after('block', 'callouts', (state) => {
    for (let at = state.tokens.length - 1; at >= 0; at--)
      if (state.tokens[at]!.type === 'blockquote_open') turn(state, at)
  })
}

function turn(state: StateCore, at: number) {
  const { tokens } = state
  const [open, paragraph, inline] = tokens.slice(at, at + 3) as [Token, Token | undefined, Token | undefined]
  const head = paragraph?.type === 'paragraph_open' ? HEAD.exec(inline?.content ?? '') : null
  if (!head || !inline) return

  const [whole, kind = '', fold = '', title = ''] = head
  const close = closing(tokens, at)
  const [box, bar] = fold === '' ? ['div', 'div'] : ['details', 'summary']
  open.tag = close.tag = box
  open.attrSet('class', 'callout')
  open.attrSet('data-look', looks.find(([, kinds]) => kinds.includes(kind.toLowerCase()))?.[0] ?? 'info')
  if (fold === '+') open.attrSet('open', '')

  const titleOpen = new state.Token('callout_title_open', bar, 1)
  titleOpen.attrSet('class', 'callout-title')
  const text = new state.Token('inline', '', 0)
  text.content = title || kind.charAt(0).toUpperCase() + kind.slice(1)
  text.children = []
  const titleClose = new state.Token('callout_title_close', bar, -1)

  inline.content = inline.content.slice(whole.length)
  const spent = inline.content.trim() === '' ? 3 : 0
  tokens.splice(at + 1, spent, titleOpen, text, titleClose)
}

function closing(tokens: readonly Token[], at: number): Token {
  const { level } = tokens[at]!
  return tokens.slice(at).find((token) => token.type === 'blockquote_close' && token.level === level)!
}
