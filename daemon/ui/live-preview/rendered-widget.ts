import { WidgetType, type EditorView } from '@codemirror/view'
import { parseRoute } from '../app/route.ts'
import { sanitize } from '../markdown/sanitize.ts'
import { fillCode } from '../note/fill-code.ts'
import { fillDiagrams } from '../note/fill-diagrams.ts'
import { fillEmbeds } from '../note/fill-embeds.ts'
import { fillMath } from '../note/fill-math.ts'
import { fillPdfs } from '../note/fill-pdfs.ts'
import { surroundingsOf, type Surroundings } from './surroundings.ts'

/** A piece of the note as the reading view shows it, inline or as a block. */
export class RenderedWidget extends WidgetType {
  readonly #html: string
  readonly #as: 'inline' | 'block'

  constructor(html: string, as: 'inline' | 'block') {
    super()
    this.#html = html
    this.#as = as
  }

  override eq(other: RenderedWidget): boolean {
    return other.#html === this.#html && other.#as === this.#as
  }

  override toDOM(view: EditorView): HTMLElement {
    const element = document.createElement(this.#as === 'block' ? 'div' : 'span')
    element.className = `reading cm-rendered cm-rendered-${this.#as}`
    element.append(this.#as === 'block' ? sanitize(this.#html) : withoutParagraph(sanitize(this.#html.trim())))
    void fillRendered(element, view)
    return element
  }

  override ignoreEvent(event: Event): boolean {
    // Controls handle their own events. A click elsewhere puts the cursor here, which shows the source.
    return event.target instanceof Element && event.target.closest(USABLE) !== null
  }
}

const USABLE = 'a, button, input, summary, audio, video, canvas, [data-pdf]'

/** Inserts content that is loaded later, and tells the editor when the height may have changed. */
export async function fillRendered(element: HTMLElement, view: EditorView): Promise<void> {
  const around = surroundingsOf(view.state)
  const measure = () => view.requestMeasure()
  element.addEventListener('load', measure, true)
  element.addEventListener('loadedmetadata', measure, true)
  element.addEventListener('toggle', measure, true)
  element.addEventListener('click', (event) => followIn(event, around))
  fillPdfs(element)
  const { vaultId, index, read, path } = around
  await Promise.allSettled([
    fillEmbeds(element, { vaultId, index, read, inside: [path] }),
    fillMath(element),
    fillDiagrams(element),
    fillCode(element),
  ])
  measure()
}

/** In a rendered piece, a plain click follows a link, as in the reading view. */
export function followIn(event: MouseEvent, { follow, searchTag }: Surroundings) {
  const hit = event.target instanceof Element ? event.target.closest<HTMLElement>('a, button') : null
  if (!hit || event.shiftKey || event.altKey) return
  if (hit.matches('.tag')) return searchTag(hit.dataset['tag'] ?? '')
  if (!(hit instanceof HTMLAnchorElement) || !(hit.getAttribute('href') ?? '').startsWith('/v/')) return
  event.preventDefault()
  follow(parseRoute(hit), event.ctrlKey || event.metaKey ? 'tab' : 'here')
}

/** The content of a rendered piece without its paragraph element, which cannot stand inside a line. */
function withoutParagraph(content: DocumentFragment): DocumentFragment {
  const only = content.children.length === 1 ? content.children[0] : undefined
  if (only?.tagName === 'P') only.replaceWith(...only.childNodes)
  return content
}
