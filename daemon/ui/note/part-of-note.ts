import { findPlace } from './find-place.ts'

/** The section under a heading, or one block, of a rendered note; undefined if the note does not have it. */
export function partOfNote(content: DocumentFragment, fragment: string): DocumentFragment | undefined {
  const start = findPlace(content, { heading: fragment })
  if (!start) return undefined
  const part = document.createDocumentFragment()
  const level = /^H([1-6])$/.exec(start.tagName)?.[1]
  const following = level === undefined ? [] : siblingsAfter(start)
  const end = following.findIndex(({ tagName }) => /^H[1-6]$/.test(tagName) && tagName <= `H${level}`)
  part.append(start, ...following.slice(0, end === -1 ? undefined : end))
  return part
}

function siblingsAfter(element: Element): Element[] {
  const all = [...(element.parentNode?.children ?? [])]
  return all.slice(all.indexOf(element) + 1)
}
