import type { MarkdownIt, StateCore, StateInline, Token } from 'markdown-it'
import plugin from 'markdown-it-footnote'

type Footnote = { label?: string; content?: string; count?: number; tokens?: Token[] }
type Env = {
  footnotes?: { refs?: Record<string, number>; list?: Footnote[] }
  /** The most characters in which an inline footnote searches for its end. */
  footnoteBudget?: number
  isInFootnote?: boolean
}

// All inline footnotes together may search this many times the length of a note.
const PASSES = 4
const LONGEST_LABEL = 200

/**
 * Footnotes, `[^1]` and `^[inline]`. The plugin provides definitions and HTML. Its other rules take quadratic time, so
 * they are replaced: their searches are bounded, and an inline footnote contains no other.
 */
export function footnotes(md: MarkdownIt) {
  md.use(plugin)
  md.inline.ruler.at('footnote_inline', readInline)
  md.inline.ruler.at('footnote_ref', readReference)
  md.core.ruler.at('footnote_tail', appendFootnotes)
}

const envOf = (state: { env: unknown }) => state.env as Env

function listOf(env: Env): Footnote[] {
  env.footnotes ??= {}
  return (env.footnotes.list ??= [])
}

function readInline(state: StateInline, silent: boolean): boolean {
  const { src, pos: start, posMax: max, md } = state
  if (!src.startsWith('^[', start) || start + 2 >= max) return false
  const env = envOf(state)
  env.footnoteBudget ??= PASSES * src.length
  if (env.isInFootnote || env.footnoteBudget < 0) return false

  const end = md.helpers.parseLinkLabel(state, start + 1)
  env.footnoteBudget -= (end < 0 ? max : end) - start
  if (end < 0) return false

  if (!silent) {
    const content = src.slice(start + 2, end)
    const list = listOf(env)
    const id = list.push({ content, tokens: [] }) - 1
    env.isInFootnote = true
    md.inline.parse(content, md, state.env, list[id]!.tokens!)
    env.isInFootnote = false
    state.push('footnote_ref', '', 0).meta = { id }
  }
  state.pos = end + 1
  state.posMax = max
  return true
}

function readReference(state: StateInline, silent: boolean): boolean {
  const { src, pos: start, posMax: max } = state
  const env = envOf(state)
  const refs = env.footnotes?.refs
  if (!refs || !src.startsWith('[^', start)) return false
  const label = /^[^\]\s]+(?=\])/.exec(src.slice(start + 2, Math.min(max, start + 2 + LONGEST_LABEL + 1)))?.[0]
  const known = label === undefined ? undefined : refs[`:${label}`]
  if (label === undefined || known === undefined) return false

  if (!silent) {
    const list = listOf(env)
    const id = known < 0 ? list.push({ label, count: 0 }) - 1 : known
    refs[`:${label}`] = id
    const footnote = list[id]!
    const subId = footnote.count ?? 0
    footnote.count = subId + 1
    state.push('footnote_ref', '', 0).meta = { id, subId, label }
  }
  state.pos = start + 2 + label.length + 1
  return true
}

/** Moves the content of footnotes to the end of the note. */
function appendFootnotes(state: StateCore): void {
  const env = envOf(state)
  if (!env.footnotes) return
  const defined = takeDefinitions(state)
  const { list } = env.footnotes
  if (!list) return

  const { tokens, Token: TokenClass } = state
  const push = (type: string, tag: string, nesting: -1 | 0 | 1, meta: Record<string, unknown> | null = null) => {
    const token = new TokenClass(type, tag, nesting)
    token.meta = meta
    tokens.push(token)
    return token
  }
  push('footnote_block_open', '', 1)
  for (const [id, footnote] of list.entries()) {
    const { label } = footnote
    push('footnote_open', '', 1, { id, label })
    for (const token of contentOf(footnote, defined, TokenClass)) tokens.push(token)
    // The link back belongs in the last paragraph.
    const lastParagraph = tokens.at(-1)?.type === 'paragraph_close' ? tokens.pop() : undefined
    for (let subId = 0; subId < Math.max(1, footnote.count ?? 0); subId++)
      push('footnote_anchor', '', 0, { id, subId, label })
    if (lastParagraph) tokens.push(lastParagraph)
    push('footnote_close', '', -1)
  }
  push('footnote_block_close', '', -1)
}

function contentOf({ label, content = '', tokens }: Footnote, defined: Map<string, Token[]>, TokenClass: typeof Token) {
  if (!tokens) return defined.get(label ?? '') ?? []
  const open = new TokenClass('paragraph_open', 'p', 1)
  const inline = new TokenClass('inline', '', 0)
  const close = new TokenClass('paragraph_close', 'p', -1)
  open.block = close.block = true
  inline.content = content
  inline.children = tokens
  return [open, inline, close]
}

/** Removes the definitions from the note; returns the content of each label. */
function takeDefinitions(state: StateCore): Map<string, Token[]> {
  const defined = new Map<string, Token[]>()
  let open: Token[] | undefined
  state.tokens = state.tokens.filter((token) => {
    if (token.type === 'footnote_reference_open') defined.set((token.meta as { label: string }).label, (open = []))
    else if (token.type === 'footnote_reference_close') open = undefined
    else if (open) open.push(token)
    else return true
    return false
  })
  return defined
}
