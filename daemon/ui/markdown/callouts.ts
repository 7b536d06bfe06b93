import type { MarkdownIt, StateCore, Token } from 'markdown-it'

const HEAD = /^\[!([\w-]+)\]([+-]?)[ \t]*([^\n]*)\n?/

/**
 * Parses the head of a callout at the beginning of a text: `[!note] Title`. `length` is the length of the head before
 * its title. Undefined if the text does not begin with one.
 */
export function calloutHead(text: string) {
  const head = HEAD.exec(text)
  if (!head) return undefined
  const [whole, kind = '', fold = '', title = ''] = head
  const name = kind.charAt(0).toUpperCase() + kind.slice(1)
  return { kind, fold, title, name, whole, length: whole.replace(/\n$/, '').length - title.length }
}

/** The look (icon and tone) of a kind of callout. */
export const calloutLook = (kind: string): string =>
  looks.find(([, kinds]) => kinds.includes(kind.toLowerCase()))?.[0] ?? 'info'

/** Kinds that share a look, by Obsidian's names. Unknown kinds look like a note. */
const looks: [string, string[]][] = [
  ['info', ['note', 'info', 'todo']],
  ['tip', ['tip', 'hint', 'important', 'abstract', 'summary', 'tldr']],
  ['success', ['success', 'check', 'done']],
  ['warning', ['warning', 'caution', 'attention', 'question', 'help', 'faq']],
  ['danger', ['danger', 'error', 'failure', 'fail', 'missing', 'bug']],
  ['example', ['example']],
  ['quote', ['quote', 'cite']],
]

/**
 * `> [!note] Title` blocks. With `+` or `-` after the kind they can be folded. One pass over the tokens, because a note
 * may consist of nothing but callouts.
 */
export function callouts(md: MarkdownIt) {
  md.core.ruler.after('block', 'callouts', (state) => {
    const { tokens } = state
    const turned: Token[] = []
    const boxes: (string | undefined)[] = []
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at]!
      turned.push(token)
      if (token.type === 'blockquote_close') token.tag = boxes.pop() ?? token.tag
      if (token.type !== 'blockquote_open') continue

      const callout = turn(state, at)
      boxes.push(callout?.box)
      if (!callout) continue
      turned.push(...callout.title)
      at += callout.spent
    }
    state.tokens = turned
  })
}

/** Makes a quote a callout if its first line is a callout's head. `spent` counts the tokens that become its title. */
function turn({ tokens, Token: TokenClass }: StateCore, at: number) {
  const [open, paragraph, inline] = tokens.slice(at, at + 3) as [Token, Token | undefined, Token | undefined]
  const head = paragraph?.type === 'paragraph_open' ? calloutHead(inline?.content ?? '') : undefined
  if (!head || !inline) return undefined

  const { whole, kind, fold, title, name } = head
  const [box, bar] = fold === '' ? (['div', 'div'] as const) : (['details', 'summary'] as const)
  open.tag = box
  open.attrSet('class', 'callout')
  open.attrSet('data-look', calloutLook(kind))
  if (fold === '+') open.attrSet('open', '')

  const titleOpen = new TokenClass('callout_title_open', bar, 1)
  titleOpen.attrSet('class', 'callout-title')
  const text = new TokenClass('inline', '', 0)
  text.content = title || name
  text.children = []
  const titleClose = new TokenClass('callout_title_close', bar, -1)

  inline.content = inline.content.slice(whole.length)
  return { box, title: [titleOpen, text, titleClose], spent: inline.content.trim() === '' ? 3 : 0 }
}
