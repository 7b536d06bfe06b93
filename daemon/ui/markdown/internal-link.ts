import { formatRoute } from '../app/route.ts'
import type { LinkTarget } from '../links/link-target.ts'
import { folderOf, resolveAddress, resolveLink } from '../links/resolve-link.ts'
import { escapeHtml } from './safe-html.ts'
import type { Place } from './place.ts'

/** The anchor of a wiki link: a real address, so that it can be opened in a new tab. */
export function internalLink(link: LinkTarget, place: Place): { open: string; close: string } {
  if (link.target === '') return anchor({ path: place.path, link, place, written: true })
  const entry = resolveLink(place.index, { target: link.target, from: place.path })
  return anchor({ path: entry?.path ?? unwritten(link.target, place), link, place, written: Boolean(entry) })
}

/** The anchor of a Markdown link without a scheme: a path relative to the note or to the vault. */
export function relativeLink(address: string, place: Place): { open: string; close: string } {
  const hash = address.indexOf('#')
  const target = decoded(hash === -1 ? address : address.slice(0, hash))
  const heading = hash === -1 ? '' : decoded(address.slice(hash + 1))
  const link = { target, ...(heading.startsWith('^') ? { block: heading.slice(1) } : heading !== '' && { heading }) }
  if (target === '') return anchor({ path: place.path, link, place, written: true })
  const entry = resolveAddress(place.index, { target, from: place.path })
  return anchor({ path: entry?.path ?? unwritten(target, place), link, place, written: Boolean(entry) })
}

type Anchor = { path: string; link: LinkTarget; place: Place; written: boolean }

function anchor({ path, link: { heading, block }, place, written }: Anchor) {
  // Until the tree is loaded, nobody knows whether the note exists: render no address.
  if (!written && !place.index.isKnown) return { open: '<a class="internal">', close: '</a>' }
  const fragment = heading ?? (block === undefined ? undefined : `^${block}`)
  const href = formatRoute({ vaultId: place.vaultId, path, ...(fragment !== undefined && { heading: fragment }) })
  const look = written ? 'class="internal"' : 'class="internal unwritten" title="This note is not written yet"'
  return { open: `<a href="${escapeHtml(href)}" ${look}>`, close: '</a>' }
}

/**
 * Where to create a note that does not exist yet: at the path in the link, otherwise beside the linking note. Digits
 * after a dot are no ending: `[[Release 1.2]]` means a note.
 */
function unwritten(target: string, { path }: Place): string {
  const name = target.replace(/^\/+/, '')
  const folder = name.includes('/') ? '' : folderOf(path)
  return `${folder === '' ? '' : `${folder}/`}${/\.(?!\d+$)\w{1,8}$/.test(name) ? name : `${name}.md`}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
