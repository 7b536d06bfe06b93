import { headingKey, type OutlineEntry } from '../markdown/headings.ts'

/** The line of a heading that a link names, `A#B` meaning B. */
export function findHeadingLine(outline: readonly OutlineEntry[], heading: string): number | undefined {
  const key = headingKey(heading.split('#').findLast((part) => part !== '') ?? '')
  return outline.find(({ text }) => headingKey(text) === key)?.line
}
