import type { MarkdownIt } from 'markdown-it'

/**
 * Elements that a note may write as HTML. None of them loads, runs or submits anything; attributes come from the list
 * below.
 */
const ALLOWED = new Set(
  (
    'abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure ' +
    'h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre q rp rt ruby s samp small span strong sub summary sup table ' +
    'tbody td tfoot th thead tr u ul var wbr'
  ).split(' '),
)
const ATTRIBUTES = new Set(['align', 'colspan', 'rowspan', 'dir', 'lang', 'open', 'reversed', 'start', 'title'])

/**
 * Keeps the harmless HTML of a note and shows the rest as text. Classes and ids are removed, so that a note cannot
 * imitate a part of the interface.
 */
export function safeHtml(md: MarkdownIt) {
  md.renderer.rules.html_inline = (tokens, at) => keepHarmless(tokens[at]!.content)
  md.renderer.rules.html_block = (tokens, at) => keepHarmless(tokens[at]!.content)
}

/** HTML with everything except harmless tags escaped. Pure; linear in the length of the text. */
export function keepHarmless(html: string): string {
  let out = ''
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    if (open === -1) return out + escapeText(html.slice(at))
    out += escapeText(html.slice(at, open))
    if (html.startsWith('<!--', open)) {
      const end = html.indexOf('-->', open + 4)
      if (end === -1) return out
      at = end + 3
      continue
    }
    const close = html.indexOf('>', open)
    if (close === -1) return out + escapeText(html.slice(open))
    const again = html.lastIndexOf('<', close)
    const start = Math.max(open, again)
    out += escapeText(html.slice(open, start)) + keepTag(html.slice(start, close + 1))
    at = close + 1
  }
  return out
}

const MAX_TAG = 1000

function keepTag(tag: string): string {
  const [, slash = '', name = '', rest = ''] =
    tag.length > MAX_TAG ? [] : (/^<(\/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s[^<>]*)?)>$/.exec(tag.replace(/\/>$/, '>')) ?? [])
  const element = name.toLowerCase()
  if (!ALLOWED.has(element)) return escapeText(tag)
  if (slash !== '') return `</${element}>`
  let kept = ''
  for (const [, key = '', quoted, apostrophed, bare] of rest.matchAll(
    /([a-zA-Z-]+)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g,
  ))
    if (ATTRIBUTES.has(key.toLowerCase()))
      kept += ` ${key.toLowerCase()}="${escapeHtml(quoted ?? apostrophed ?? bare ?? '')}"`
  return `<${element}${kept}>`
}

/** Keeps character references such as `&nbsp;`, which are text in HTML. */
const escapeText = (text: string) => escapeHtml(text).replace(/&amp;(#?[a-zA-Z0-9]{1,32};)/g, '&$1')

/** Text escaped for element content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
