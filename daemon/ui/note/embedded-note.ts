import type { LinkIndex } from '../links/link-index.ts'
import { lineNamed, partAt, partsOf } from '../markdown/note-parts.ts'
import { plainOutline } from '../markdown/plain-outline.ts'
import { renderPart } from '../markdown/render-note.ts'
import { sanitize } from '../markdown/sanitize.ts'
import { fillCallouts } from '../callouts/fill-callouts.ts'
import { fillCode } from './fill-code.ts'
import { fillDiagrams } from './fill-diagrams.ts'
import { fillMath } from './fill-math.ts'
import { fillPdfs } from './fill-pdfs.ts'
import { partOfNote } from './part-of-note.ts'

/** What an embedded note is read and rendered with. */
export type Embedding = {
  vaultId: string
  index: LinkIndex
  read: (path: string) => Promise<string>
  /** Paths of the enclosing notes, so that notes that embed each other end. */
  inside: readonly string[]
}

const DEEPEST = 3

/** Inserts an embedded note, or the named part of it, and what that embeds. */
export async function fillEmbed(place: HTMLElement, { vaultId, index, read, inside }: Embedding): Promise<void> {
  const path = place.dataset.embed ?? ''
  const fragment = place.dataset.fragment ?? ''
  if (inside.includes(path) || inside.length > DEEPEST) return void place.classList.add('too-deep')
  try {
    const text = await read(path)
    const parts = partsOf(text)
    const isLong = parts.length > 1
    const line = isLong && fragment !== '' ? lineNamed(text, plainOutline(text), fragment) : undefined
    const content = sanitize(renderPart(text, parts[partAt(parts, line ?? 1)]!, { vaultId, path, index }))
    if (isLong && fragment === '') content.append(onlyTheBeginning())
    const part = fragment === '' ? content : partOfNote(content, fragment)
    if (!part) {
      place.classList.add('missing')
      return
    }
    const below = { vaultId, index, read, inside: [...inside, path] }
    const embeds = [...part.querySelectorAll<HTMLElement>('[data-embed]')]
    await Promise.all(embeds.map((embed) => fillEmbed(embed, below)))
    // Ids and lines belong to another note and would mislead here.
    for (const element of part.querySelectorAll('[id], [data-line], [data-task]')) {
      element.removeAttribute('id')
      element.removeAttribute('data-line')
      if (element instanceof HTMLInputElement) element.disabled = true
    }
    // The link to the note stays, below what is shown of it. It needs no preview of the same.
    place.querySelector(':scope > a')?.classList.remove('internal')
    place.prepend(part)
    void fillMath(place)
    fillPdfs(place)
    void fillDiagrams(place)
    void fillCode(place)
    void fillCallouts(place)
    place.classList.add('filled')
  } catch {
    place.classList.add('missing')
    place.append(' could not be read')
  }
}

function onlyTheBeginning(): HTMLElement {
  const words = document.createElement('p')
  words.className = 'quiet'
  words.textContent = 'This note is long: only its beginning is shown here.'
  return words
}
