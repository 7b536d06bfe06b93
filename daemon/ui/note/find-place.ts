import { headingKey } from '../markdown/headings.ts'

/** A place in a note that the address names: a line, a heading (`A#B` for B below A) or a `^block`. */
export type NotePlace = {
  line?: number | undefined
  heading?: string | undefined
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
  return lineElements(root).findLast((element) => lineOf(element) <= line)
}

/** The innermost block with a line that is read at a height of the screen; undefined above the first one. */
export function blockAtTop(root: HTMLElement, top: number): HTMLElement | undefined {
  const edge = top + READING_EDGE
  const blocks = [...root.children]
  let [low, high] = [0, blocks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (blocks[middle]!.getBoundingClientRect().top <= edge) low = middle + 1
    else high = middle
  }

  // Examine the lines of the block one by one: folded lines have no height and are skipped.
  for (let at = low - 1; at >= 0; at--) {
    const lines = [blocks[at] as HTMLElement, ...lineElements(blocks[at]!)].filter(({ dataset }) => dataset.line)
    const found = lines.findLast((element) => {
      const { top, height } = element.getBoundingClientRect()
      return height > 0 && top <= edge
    })
    if (found) return found
  }
  return undefined
}

/** The line where a block begins, counted from 1. */
export const lineOf = ({ dataset }: HTMLElement): number => Number(dataset.line)

// A heading that a link led to is this far below the edge of the screen, and is what is being read.
const READING_EDGE = 48

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
