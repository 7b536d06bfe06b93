import { isNoteName, type LinkIndex } from '../links/link-index.ts'
import { folderOf } from '../links/resolve-link.ts'

type Place = { index: LinkIndex; path: string }

/**
 * The folder for a file that was pasted or dropped into a note: the one with most attachments, otherwise the note's.
 * Pure.
 */
function attachmentFolder({ index, path }: Place): string {
  const counts = new Map<string, number>()
  for (const { kind, path } of index.entries)
    if (kind === 'attachment') counts.set(folderOf(path), (counts.get(folderOf(path)) ?? 0) + 1)
  counts.delete('')
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one)
  return most?.[0] ?? folderOf(path)
}

const UNNAMED = /^image\.(?:png|jpe?g|gif|webp)$/i

/**
 * The path for a file that was put into a note: a name that no other file has, for a note beside that note. A file that
 * browsers call `image.png` (a picture from the clipboard) is named after the time; characters that a path or link
 * cannot hold are replaced. Pure.
 */
export function attachmentName(place: Place, fileName: string, now: Date): string {
  const clean = fileName
    .normalize('NFC')
    .replace(/[\p{Cc}/\\:*?"<>|#^[\]]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(clean)?.[0] ?? ''
  const stem = clean
    .slice(0, clean.length - ending.length)
    .replace(/^\.+/, '')
    .trim()
    .slice(0, 80)
  const name = UNNAMED.test(clean) || stem === '' ? `Pasted image ${stamp(now)}` : stem
  const folder = isNoteName(clean) ? folderOf(place.path) : attachmentFolder(place)
  const at = (nth: number) => `${folder === '' ? '' : `${folder}/`}${name}${nth === 1 ? '' : ` ${nth}`}${ending}`
  let nth = 1
  while (place.index.find(at(nth)) !== undefined) nth++
  return at(nth)
}

function stamp(now: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
  return `${day} ${two(now.getHours())}.${two(now.getMinutes())}.${two(now.getSeconds())}`
}
