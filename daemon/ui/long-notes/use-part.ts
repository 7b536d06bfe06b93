import { useMemo, useState } from 'react'
import type { LinkIndex } from '../links/link-index.ts'
import type { OutlineEntry } from '../markdown/headings.ts'
import { lineNamed, partAt, partsOf } from '../markdown/note-parts.ts'
import { renderPart, type RenderedNote } from '../markdown/render-note.ts'

type Place = { line?: number | undefined; heading?: string | undefined }
type Deps = {
  text: string
  rendered: RenderedNote
  place: Place
  startLine: number
  /** The line that was read when the person left this page, when they have just come back to it. */
  returnLine: number | undefined
  vaultId: string
  path: string
  index: LinkIndex
}

/**
 * The part of a long note that is shown: the one that was read before, for a reader who comes back, otherwise the one
 * with the place in the address; or the one that the reader chose since then.
 */
export function usePart({ text, rendered, place, startLine, returnLine, vaultId, path, index }: Deps) {
  const parts = useMemo(() => partsOf(text), [text])
  const partOf = (to: Place) => {
    const line = parts.length === 1 ? undefined : lineOf(text, { outline: rendered.outline, place: to })
    return line === undefined ? undefined : partAt(parts, line)
  }
  const [{ chosen, at }, choose] = useState(() => {
    const first = returnLine === undefined ? partOf(place) : partAt(parts, returnLine)
    return { chosen: first ?? partAt(parts, startLine), at: place }
  })
  if (at !== place) choose({ chosen: partOf(place) ?? chosen, at: place })
  const nth = Math.min(chosen, parts.length - 1)
  const html = useMemo(
    () => (parts.length === 1 ? rendered.html : renderPart(text, parts[nth]!, { vaultId, path, index })),
    [parts, nth, rendered, text, vaultId, path, index],
  )
  return { parts, nth, html, show: (to: number) => choose({ chosen: to, at: place }) }
}

function lineOf(text: string, { outline, place }: { outline: readonly OutlineEntry[]; place: Place }) {
  const { line, heading } = place
  return heading === undefined ? line : lineNamed(text, outline, heading)
}
