import { Facet, StateEffect, type EditorState } from '@codemirror/state'
import type { Route } from '../app/route.ts'
import type { LinkIndex } from '../links/link-index.ts'
import { renderNote, renderInline } from '../markdown/render-note.ts'

/** Where the note is, and what its links do. */
export type Surroundings = {
  vaultId: string
  path: string
  index: LinkIndex
  /** The text of another note, for embeds. */
  read: (path: string) => Promise<string>
  follow: (route: Route, where: 'here' | 'tab') => void
  searchTag: (tag: string) => void
  /** The tags of the vault, the most frequent first. */
  readTags: () => Promise<readonly { tag: string; count: number }[]>
}

/** Provides the surroundings to everything that is drawn in the text. */
export const surroundings = Facet.define<() => Surroundings, () => Surroundings>({ combine: ([first]) => first! })

/** The vault or the path of the note has changed, so links and embeds may have to be drawn differently. */
export const surroundingsChanged = StateEffect.define<Pick<Surroundings, 'path' | 'index'>>()

export const surroundingsOf = (state: EditorState): Surroundings => state.facet(surroundings)()

const MOST_KEPT = 500
const kept = new WeakMap<LinkIndex, Map<string, string>>()

/** The HTML of a piece of the note, as the reading view renders it. */
export const renderPiece = (text: string, around: Surroundings): string =>
  rendered(text, around, (place) => renderNote(text, place).html)

/** The HTML of a table cell, which contains no blocks. */
export const renderCell = (text: string, around: Surroundings): string =>
  rendered(`|${text}`, around, (place) => renderInline(text, place))

type Place = Pick<Surroundings, 'vaultId' | 'path' | 'index'>

/** Renders a text, or returns the cached HTML. The cache belongs to one state of the vault. */
function rendered(text: string, { vaultId, path, index }: Surroundings, render: (place: Place) => string): string {
  const known = kept.get(index) ?? new Map<string, string>()
  kept.set(index, known)
  const key = `${path}\n${text}`
  const before = known.get(key)
  if (before !== undefined) return before
  if (known.size >= MOST_KEPT) known.clear()
  const html = render({ vaultId, path, index })
  known.set(key, html)
  return html
}
