const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select, summary, [tabindex="0"]'

/** Moves the focus from the tree to the note, to the other pane, to the panel and around, or the other way. */
export function focusPart(by: 1 | -1): void {
  const parts = [...document.querySelectorAll('.sidebar, .pane, .panel')].filter(isVisible)
  const here = parts.findIndex((part) => part.contains(document.activeElement))
  const from = here < 0 && by === -1 ? 0 : here
  for (let step = 1; step <= parts.length; step++) {
    const target = entranceOf(parts.at((from + by * step) % parts.length)!)
    if (target === undefined) continue
    target.focus()
    return
  }
}

/** What the focus goes to in a part of the page: the tree, the text, or the first thing that takes it. */
export function entranceOf(part: Element): HTMLElement | undefined {
  const editor = part.querySelector('.editor-host')?.shadowRoot?.querySelector<HTMLElement>('.cm-content')
  const main = editor ?? part.querySelector<HTMLElement>('[role=tree], .note-scroll[tabindex]')
  return main ?? [...part.querySelectorAll<HTMLElement>(FOCUSABLE)].find(isVisible)
}

const isVisible = (element: Element) => element.checkVisibility({ visibilityProperty: true })
