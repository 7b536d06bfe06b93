import { encodeAddress, pathFrom } from '../../src/markdown/file-address.ts'
import { withoutExtension, type LinkIndex } from './link-index.ts'
import { folderOf, resolveLink } from './resolve-link.ts'

/** Whether a wiki link can name this target. The characters in question have a meaning of their own in it. */
export const fitsWikiLink = (target: string): boolean => !/[#^|[\]]/.test(target)

type Link = { path: string; from: string; shown: string; place?: string | undefined }

/** A Markdown link to a file, relative to the note at `from`, for names that no wiki link can hold. */
export function markdownLink({ path, from, shown, place }: Link): string {
  const relative = pathFrom(folderOf(from), path)
  // The name before a colon would be read as a scheme.
  const safe = /^[^/]*:/.test(relative) ? `./${relative}` : relative
  const fragment = place === undefined ? '' : `#${encodeAddress(place, 'letters')}`
  return `[${escaped(shown)}](${encodeAddress(safe, 'letters')}${fragment})`
}

/** The text that embeds an attachment in the note at `from`. */
export const embedOf = (path: string, from: string): string =>
  fitsWikiLink(path) ? `![[${path}]]` : `!${markdownLink({ path, from, shown: path.split('/').at(-1)! })}`

/** The text that links a note that the index does not have yet; `path` there is that of the linking note. */
export function linkToNew(added: string, { index, path }: { index: LinkIndex; path: string }): string {
  const name = withoutExtension(added.split('/').at(-1)!)
  const isTaken = resolveLink(index, { target: name, from: path }) !== undefined
  const target = isTaken ? withoutExtension(added) : name
  return fitsWikiLink(target) ? `[[${target}]]` : markdownLink({ path: added, from: path, shown: name })
}

/** Text as Markdown shows it literally. A `#` after a blank would begin a tag. */
const escaped = (text: string): string => text.replace(/[\\[\]*_`<&$~|]|==|(?<=^|\s)#/g, '\\$&')
