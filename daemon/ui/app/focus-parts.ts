import type { TabStore } from '../tabs/tab-store.ts'

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select, summary, [tabindex="0"]'

/**
 * Moves the focus to the next part of the page (1) or to the previous one (-1), in a circle: the tree, each pane, the
 * panel.
 */
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

/** Focuses the note of the other pane. */
export function focusOtherPane(tabs: TabStore): void {
  const { panes, focused } = tabs.current()
  const other = panes.find(({ id }) => id !== focused)
  if (!other) return
  tabs.focus(other.id)
  const pane = document.querySelector(`.pane[data-pane='${other.id}']`)
  if (pane) entranceOf(pane)?.focus()
}

/**
 * The element of a part that gets the focus: the editor or the tree or the note, otherwise the first focusable element.
 */
function entranceOf(part: Element): HTMLElement | undefined {
  const editor = part.querySelector('.editor-host')?.shadowRoot?.querySelector<HTMLElement>('.cm-content')
  const main = editor ?? part.querySelector<HTMLElement>('[role=tree], .note-scroll[tabindex]')
  return main ?? [...part.querySelectorAll<HTMLElement>(FOCUSABLE)].find(isVisible)
}

const isVisible = (element: Element) => element.checkVisibility({ visibilityProperty: true })
