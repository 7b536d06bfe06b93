import type { MarkdownIt, RendererRule } from 'markdown-it'
import { resolveAddress } from '../links/resolve-link.ts'
import { escapeHtml } from './safe-html.ts'
import { relativeLink } from './internal-link.ts'
import { mediaEmbed, noEmbed } from './media-embed.ts'
import { placeOf } from './place.ts'

const EMBEDDED_IMAGE = /^data:image\/(?:png|gif|jpeg|webp);base64,/i
const OUTSIDE = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i

/** Ordinary links and images: links into the vault stay in the app; others open a new tab, on a click. */
export function addresses(md: MarkdownIt) {
  md.renderer.rules.link_open = renderLinkOpen
  md.renderer.rules.image = renderImage
}

const renderLinkOpen: RendererRule = (tokens, at, _options, env) => {
  const href = String(tokens[at]!.attrGet('href') ?? '')
  if (!OUTSIDE.test(href)) return relativeLink(href, placeOf(env)).open
  const title = tokens[at]!.attrGet('title')
  const hint = title === null ? '' : ` title="${escapeHtml(String(title))}"`
  return `<a href="${escapeHtml(href)}" class="external" target="_blank" rel="noopener noreferrer"${hint}>`
}

const renderImage: RendererRule = (tokens, at, options, env, renderer) => {
  const token = tokens[at]!
  const place = placeOf(env)
  const source = String(token.attrGet('src') ?? '')
  const alt = renderer.renderInlineAsText(token.children ?? [], options, env)
  if (OUTSIDE.test(source)) return remoteImage(source, alt)

  const target = decoded(source.split(/[?#]/, 1)[0]!)
  const entry = resolveAddress(place.index, { target, from: place.path })
  if (!entry) return noEmbed(place, escapeHtml(target))
  return mediaEmbed({ vaultId: place.vaultId, path: entry.path, link: { target, alias: alt } })
}

/** A link instead of the image: loading it would reveal to its server who reads the note, and when. */
function remoteImage(source: string, alt: string): string {
  const label = alt.replace(/\|?\d{1,4}(x\d{1,4})?$/, '')
  if (EMBEDDED_IMAGE.test(source)) return `<img src="${escapeHtml(source)}" alt="${escapeHtml(label)}">`

  const host = /^(?:https?:)?\/\/([^/?#]+)/i.exec(source)?.[1]
  const from = host === undefined ? '' : ` from ${host}`
  return (
    `<a href="${escapeHtml(source)}" class="external remote-image" target="_blank" rel="noopener noreferrer">` +
    `Open image${label === '' ? '' : ` “${escapeHtml(label)}”`}${escapeHtml(from)}</a>`
  )
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
