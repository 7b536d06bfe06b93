import type { MarkdownIt } from 'markdown-it'
import { createOpenTags, isAllowed, type OpenTags } from './open-tags.ts'

const ATTRIBUTES = new Set(['align', 'colspan', 'rowspan', 'dir', 'lang', 'open', 'reversed', 'start', 'title'])

/**
 * Keeps the harmless HTML of a note and shows the rest as text. Classes and ids are removed, so that a note cannot
 * imitate a part of the interface.
 */
export function safeHtml(md: MarkdownIt) {
  const { renderer } = md
  renderer.rules.html_inline = (tokens, at, _options, env) => keepHarmless(tokens[at]!.content, openTagsOf(env))
  renderer.rules.html_block = (tokens, at, _options, env) => {
    const open = openTagsOf(env)
    return keepHarmless(tokens[at]!.content, open) + open.endText()
  }
  const renderInline = renderer.renderInline.bind(renderer)
  renderer.renderInline = (tokens, options, env) => renderInline(tokens, options, env) + openTagsOf(env).endText()
}

const OPEN = Symbol('open tags')

/** The open tags of a note, stored in markdown-it's environment. */
const openTagsOf = (env: { [key: symbol]: unknown } = {}): OpenTags => (env[OPEN] ??= createOpenTags()) as OpenTags

/** HTML with everything except harmless tags escaped. Pure; linear in the length of the text. */
export function keepHarmless(html: string, open: OpenTags = createOpenTags()): string {
  let out = ''
  let at = 0
  while (at < html.length) {
    const sign = html.indexOf('<', at)
    if (sign === -1) return out + escapeText(html.slice(at))
    out += escapeText(html.slice(at, sign))
    if (html.startsWith('<!--', sign)) {
      const end = html.indexOf('-->', sign + 4)
      if (end === -1) return out
      at = end + 3
      continue
    }
    const close = html.indexOf('>', sign)
    if (close === -1) return out + escapeText(html.slice(sign))
    const again = html.lastIndexOf('<', close)
    const start = Math.max(sign, again)
    out += escapeText(html.slice(sign, start)) + keepTag(html.slice(start, close + 1), open)
    at = close + 1
  }
  return out
}

const MAX_TAG = 1000

function keepTag(tag: string, open: OpenTags): string {
  const [, slash = '', name = '', rest = ''] =
    tag.length > MAX_TAG ? [] : (/^<(\/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s[^<>]*)?)>$/.exec(tag.replace(/\/>$/, '>')) ?? [])
  const element = name.toLowerCase()
  if (!isAllowed(element)) return escapeText(tag)
  if (slash !== '') return open.close(element)
  const before = open.begin(element)
  if (before === undefined) return escapeText(tag)
  let kept = ''
  for (const [, key = '', quoted, apostrophed, bare] of rest.matchAll(
    /([a-zA-Z-]+)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g,
  ))
    if (ATTRIBUTES.has(key.toLowerCase()))
      kept += ` ${key.toLowerCase()}="${escapeHtml(quoted ?? apostrophed ?? bare ?? '')}"`
  return `${before}<${element}${kept}>`
}

/** Keeps character references such as `&nbsp;`, which are text in HTML. */
const escapeText = (text: string) => escapeHtml(text).replace(/&amp;(#?[a-zA-Z0-9]{1,32};)/g, '&$1')

/** Text escaped for element content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
