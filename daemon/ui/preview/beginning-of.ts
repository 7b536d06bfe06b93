import { splitFrontMatter } from '../markdown/front-matter.ts'

/** The first paragraphs of a note, without its properties, cut at the end of a paragraph if one ends early enough. */
export function beginningOf(text: string, most: number): string {
  const { body } = splitFrontMatter(text)
  if (body.length <= most) return body
  const start = body.slice(0, most)
  const paragraph = start.lastIndexOf('\n\n')
  const line = start.lastIndexOf('\n')
  return start.slice(0, paragraph > 0 ? paragraph : line > 0 ? line : most)
}
