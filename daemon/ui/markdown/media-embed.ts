import { attachmentUrl } from '../api/daemon-client.ts'
import { formatRoute } from '../app/route.ts'
import type { LinkTarget } from '../links/link-target.ts'
import type { Place } from './place.ts'
import { escapeHtml } from './safe-html.ts'

const kinds = [
  ['image', /\.(png|jpe?g|gif|webp|avif|bmp|ico|svg)$/i],
  ['audio', /\.(mp3|wav|m4a|ogg|3gp|flac|opus)$/i],
  ['pdf', /\.pdf$/i],
  ['video', /\.(mp4|webm|ogv|mov|mkv)$/i],
] as const

/** How an attachment can be shown: in the page, or only as a link. */
export function mediaKind(path: string): 'image' | 'audio' | 'video' | 'pdf' | 'file' {
  return kinds.find(([, pattern]) => pattern.test(path))?.[0] ?? 'file'
}

type Embed = { vaultId: string; path: string; link: LinkTarget }

/** An embedded attachment. SVG is shown as an image too, because an image cannot run anything. */
export function mediaEmbed({ vaultId, path, link }: Embed): string {
  const name = path.split('/').at(-1)!
  const source = escapeHtml(attachmentUrl({ vaultId, path }))
  switch (mediaKind(path)) {
    case 'image': {
      const size = /^(?:(.*)\|)?(\d{1,4})(?:x(\d{1,4}))?$/.exec(link.alias ?? '')
      const label = escapeHtml((size ? size[1] : link.alias) ?? name)
      const measures = `${size?.[2] ? ` width="${size[2]}"` : ''}${size?.[3] ? ` height="${size[3]}"` : ''}`
      const look = link.heading === 'icon' ? ' class="icon-image"' : ''
      return `<img src="${source}" alt="${label}"${measures}${look} loading="lazy">`
    }
    case 'audio':
      return `<audio src="${source}" controls preload="metadata" aria-label="${escapeHtml(name)}"></audio>`
    case 'video':
      return `<video src="${source}" controls preload="metadata" aria-label="${escapeHtml(name)}"></video>`
    case 'pdf': {
      const page = /^page=(\d{1,5})$/.exec(link.heading ?? '')?.[1]
      const place = `data-pdf="${source}" data-name="${escapeHtml(name)}"${page === undefined ? '' : ` data-page="${page}"`}`
      return `<span ${place}>${fileLink({ vaultId, path, name })}</span>`
    }
    case 'file':
      return fileLink({ vaultId, path, name })
  }
}

/**
 * The HTML for an embed without a file in the vault. Before the files are known, it does not claim that the file is
 * missing.
 */
export const noEmbed = ({ index }: Place, label: string): string =>
  index.isKnown ? `<span class="missing">${label} is not in this vault</span>` : `<span class="quiet">${label}</span>`

const fileLink = ({ vaultId, path, name }: { vaultId: string; path: string; name: string }): string =>
  `<a href="${escapeHtml(formatRoute({ vaultId, path }))}" class="internal file">${escapeHtml(name)}</a>`
