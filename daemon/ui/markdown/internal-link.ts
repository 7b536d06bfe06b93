import { formatRoute } from '../app/route.ts'
import { isNoteName } from '../links/link-index.ts'
import type { LinkTarget } from '../links/link-target.ts'
import { folderOf, resolveAddress, resolveLink } from '../links/resolve-link.ts'
import { mediaKind } from './media-embed.ts'
import { escapeHtml } from './safe-html.ts'
import type { Place } from './place.ts'

/** The anchor of a wiki link: a real address, so that it can be opened in a new tab. */
export function internalLink(link: LinkTarget, place: Place): { open: string; close: string } {
  if (link.target === '') return anchor({ path: place.path, link, place, written: true })
  const entry = resolveLink(place.index, { target: link.target, from: place.path })
  return anchor({
    path: entry?.path ?? unwritten(link.target, place, isFileInWikiLink),
    link,
    place,
    written: Boolean(entry),
  })
}

/** The anchor of a Markdown link without a scheme: a path relative to the note or to the vault. */
export function relativeLink(address: string, place: Place): { open: string; close: string } {
  const hash = address.indexOf('#')
  const target = decoded(hash === -1 ? address : address.slice(0, hash))
  const heading = hash === -1 ? '' : decoded(address.slice(hash + 1))
  const link = { target, ...(heading.startsWith('^') ? { block: heading.slice(1) } : heading !== '' && { heading }) }
  if (target === '') return anchor({ path: place.path, link, place, written: true })
  const entry = resolveAddress(place.index, { target, from: place.path })
  return anchor({ path: entry?.path ?? unwritten(target, place, hasEnding), link, place, written: Boolean(entry) })
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

/** Where to create a note that does not exist yet: at the path in the link, otherwise beside the linking note. */
function unwritten(target: string, { path }: Place, isFile: (name: string) => boolean): string {
  const name = target.replace(/^\/+/, '')
  const folder = name.includes('/') ? '' : folderOf(path)
  return `${folder === '' ? '' : `${folder}/`}${isFile(name) ? name : `${name}.md`}`
}

/** A wiki link omits the ending of a note, so `[[Node.js]]` means a note as well. Only known kinds are other files. */
const isFileInWikiLink = (name: string): boolean => isNoteName(name) || mediaKind(name) !== 'file'

/** A Markdown link has the ending of its file. Digits after a dot are no ending: `[x](Release%201.2)` means a note. */
const hasEnding = (name: string): boolean => /\.(?!\d+$)\w{1,8}$/.test(name)

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
