import type { MarkdownIt, RendererRule, StateInline } from 'markdown-it'
import { linkLabel, parseLinkTarget, type LinkTarget } from '../links/link-target.ts'
import { resolveLink } from '../links/resolve-link.ts'
import { escapeHtml } from './safe-html.ts'
import { internalLink } from './internal-link.ts'
import { mediaEmbed, noEmbed } from './media-embed.ts'
import { placeOf } from './place.ts'

/** `[[Note#Heading|alias]]` and `![[embedded]]`, as Obsidian reads them. */
export function wikiLinks(md: MarkdownIt) {
  md.inline.ruler.before('image', 'wiki_link', readWikiLink)
  md.renderer.rules.wiki_link = renderLink
  md.renderer.rules.wiki_embed = renderEmbed
}

function readWikiLink(state: StateInline, silent: boolean): boolean {
  const found = /^!?\[\[([^[\]\n]+)\]\]/.exec(state.src.slice(state.pos, state.posMax))
  if (!found) return false
  if (!silent) {
    const token = state.push(found[0].startsWith('!') ? 'wiki_embed' : 'wiki_link', '', 0)
    const link = parseLinkTarget(found[1]!)
    token.content = linkLabel(link)
    token.meta = { link }
  }
  state.pos += found[0].length
  return true
}

const renderLink: RendererRule = (tokens, at, _options, env) => {
  const { meta, content } = tokens[at]!
  const { open, close } = internalLink(linkOf(meta), placeOf(env))
  return open + escapeHtml(content) + close
}

const renderEmbed: RendererRule = (tokens, at, _options, env) => {
  const place = placeOf(env)
  const link = linkOf(tokens[at]!.meta)
  const entry = resolveLink(place.index, { target: link.target, from: place.path })
  const label = escapeHtml(tokens[at]!.content)
  if (!entry) return noEmbed(place, label)
  if (entry.kind === 'attachment') return mediaEmbed({ vaultId: place.vaultId, path: entry.path, link })

  const fragment = link.heading ?? (link.block === undefined ? '' : `^${link.block}`)
  const { open, close } = internalLink(link, place)
  return `<span class="embed" data-embed="${escapeHtml(entry.path)}" data-fragment="${escapeHtml(fragment)}">${open}${label}${close}</span>`
}

const linkOf = (meta: Record<string, unknown> | null) => meta?.link as LinkTarget
