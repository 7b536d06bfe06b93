import { headingKey } from '../markdown/headings.ts'

/** Where in a note the address points: a line, a heading (`A#B` for B below A) or a `^block`. */
export type NotePlace = {
  line?: number | undefined
  heading?: string | undefined
  /** Whether the reader was taken there already, so that switching to the editor and back stays where one is. */
  arrived?: { current: boolean }
}

/** The element of a rendered note for a place, if the note has it. */
export function findPlace(root: ParentNode, { line, heading }: NotePlace): HTMLElement | undefined {
  if (heading !== undefined) {
    if (heading.startsWith('^')) return byId(root, `b-${heading.slice(1).toLowerCase()}`)
    const [first, ...deeper] = heading.split('#').filter((part) => part !== '')
    let found = first === undefined ? undefined : byId(root, `h-${headingKey(first)}`)
    for (const part of deeper) found = (found && headingAfter(root, { after: found, part })) ?? found
    return found ?? byId(root, heading)
  }
  if (line === undefined) return undefined
  return lineElements(root).findLast((element) => Number(element.dataset.line) <= line)
}

/** The line of the first block at or below a height, so that the editor can go on where reading stopped. */
export function lineAtTop(root: HTMLElement, top: number): number {
  const found = lineElements(root).find((element) => element.getBoundingClientRect().bottom > top + 8)
  return Number(found?.dataset.line ?? 1)
}

const lineElements = (root: ParentNode) => [...root.querySelectorAll<HTMLElement>('[data-line]:not([data-line=""])')]

const byId = (root: ParentNode, id: string) => root.querySelector<HTMLElement>(`[id="${CSS.escape(id)}"]`) ?? undefined

function headingAfter(root: ParentNode, { after, part }: { after: HTMLElement; part: string }) {
  const key = `h-${headingKey(part)}`
  return [...root.querySelectorAll<HTMLElement>('[id^="h-"]')].find(
    (element) =>
      (element.id === key || element.id.startsWith(`${key}-`)) &&
      (after.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
  )
}
