import { renderNote } from '../markdown/render-note.ts'
import { sanitize } from '../markdown/sanitize.ts'
import type { LinkIndex } from '../links/link-index.ts'
import { fillCode } from '../note/fill-code.ts'
import { fillMath } from '../note/fill-math.ts'
import { partOfNote } from '../note/part-of-note.ts'
import { beginningOf } from './beginning-of.ts'

const MOST = 1500
/** The longest note in which a section is searched for; a longer one shows its beginning. */
const SEARCHED = 300_000
const MOST_BLOCKS = 12

type Wish = { vaultId: string; path: string; index: LinkIndex; text: string; heading: string | undefined }

/**
 * The beginning of a note, or of the section that a link names, rendered as for reading. Its links and controls do
 * nothing.
 */
export async function previewContent({ vaultId, path, index, text, heading }: Wish): Promise<DocumentFragment> {
  const rendered = (part: string) => sanitize(renderNote(part, { vaultId, path, index }).html)
  const section = heading === undefined || text.length > SEARCHED ? undefined : partOfNote(rendered(text), heading)
  const content = section ?? rendered(beginningOf(text, MOST))
  for (const block of [...content.children].slice(MOST_BLOCKS)) block.remove()
  await Promise.all([fillMath(content), fillCode(content)])
  disarm(content)
  return content
}

/** A preview closes when it is left, so its content must not take the focus, nor use a name of the page. */
function disarm(content: DocumentFragment): void {
  for (const element of content.querySelectorAll('[id], [data-line], [data-task]'))
    for (const name of ['id', 'data-line', 'data-task']) element.removeAttribute(name)
  for (const control of content.querySelectorAll<HTMLElement>('button, summary, audio, video, [tabindex]'))
    control.tabIndex = -1
  for (const input of content.querySelectorAll('input')) input.disabled = true
  for (const link of content.querySelectorAll('a')) {
    const text = document.createElement('span')
    text.className = link.className
    text.append(...link.childNodes)
    link.replaceWith(text)
  }
}
