import MarkdownIt from 'markdown-it'
import { footnotes } from './footnotes.ts'
import { addresses } from './addresses.ts'
import { blocks } from './blocks.ts'
import { callouts } from './callouts.ts'
import { comments } from './comments.ts'
import { directions } from './directions.ts'
import { splitFrontMatter } from './front-matter.ts'
import { headings, outlineIn, type OutlineEntry } from './headings.ts'
import { highlights } from './highlights.ts'
import { math } from './math.ts'
import { definitionsOutside, type NotePart } from './note-parts.ts'
import { envOf, type Place } from './place.ts'
import { safeHtml } from './safe-html.ts'
import { tags } from './tags.ts'
import { taskLists } from './task-lists.ts'
import { wikiLinks } from './wiki-links.ts'

const md = new MarkdownIt({ html: true, linkify: true, breaks: true })
// `Home.md` in running text is a file name, not a host of the top-level domain `.md`.
md.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
md.use(footnotes)
for (const plugin of [
  wikiLinks,
  addresses,
  highlights,
  comments,
  tags,
  callouts,
  taskLists,
  headings,
  blocks,
  directions,
  math,
  safeHtml,
])
  md.use(plugin)

/**
 * A rendered note. Only harmless tags of the note's own HTML are kept; `sanitize` must still be applied to the result.
 */
export type RenderedNote = { html: string; outline: OutlineEntry[] }

/** Renders the body of the note at a path of the vault. */
export function renderNote(text: string, { vaultId, path, index }: Omit<Place, 'firstLine'>): RenderedNote {
  // An editor can hold half a surrogate pair, which cannot be encoded in an address.
  const { body, bodyLine } = splitFrontMatter(text.toWellFormed())
  const env = envOf({ vaultId, path, index, firstLine: bodyLine + 1 })
  const html = md.render(body, env)
  return { html, outline: outlineIn(env) }
}

/** Renders a part of a long note. */
export function renderPart(text: string, part: NotePart, place: Omit<Place, 'firstLine'>): string {
  const source = text.slice(part.from, part.to)
  if (part.from === 0 && part.to === text.length) return renderNote(source, place).html
  const { body, bodyLine } = part.from === 0 ? splitFrontMatter(source) : { body: source, bodyLine: part.line - 1 }
  const opened = part.fence === undefined ? '' : `${part.fence}\n`
  // If the part ends inside a code block, definitions added here would become code.
  const defined = part.isOpen ? '' : `\n\n${definitionsOutside(text, part).join('\n\n')}`
  const env = envOf({ ...place, firstLine: bodyLine + 1 - Number(opened !== '') })
  return md.render(`${opened}${body}${defined}`.toWellFormed(), env)
}

/** Renders text without blocks, such as the cell of a table. */
export function renderInline(text: string, place: Omit<Place, 'firstLine'>): string {
  return md.renderInline(text.toWellFormed(), envOf({ ...place, firstLine: 1 }))
}
