import { splitFrontMatter } from './front-matter.ts'
import { headingKey, type OutlineEntry } from './headings.ts'

const HEADING = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/**
 * The headings that begin with `#`, read without rendering: for texts that are too long to be rendered after every
 * change. Pure.
 */
export function plainOutline(text: string): OutlineEntry[] {
  const { body, bodyLine } = splitFrontMatter(text)
  const outline: OutlineEntry[] = []
  const seen = new Map<string, number>()
  let fence: string | undefined
  let line = bodyLine
  for (let at = 0; at < body.length;) {
    const end = body.indexOf('\n', at)
    const to = end === -1 ? body.length : end
    line++
    // Most lines begin with a letter and need no second look.
    if (isMark(body.charCodeAt(at))) {
      const source = body.slice(at, Math.min(to, at + LONGEST))
      const [, marks] = FENCE.exec(source) ?? []
      if (marks !== undefined && fence === undefined) fence = marks
      else if (fence !== undefined && marks?.startsWith(fence) && source.trim() === marks) fence = undefined
      const [, level, title = ''] = (fence === undefined && HEADING.exec(source)) || []
      if (level !== undefined) {
        const words = plain(title)
        const key = headingKey(words)
        const nth = (seen.get(key) ?? 0) + 1
        seen.set(key, nth)
        outline.push({ level: level.length, text: words, line, id: nth === 1 ? `h-${key}` : `h-${key}-${nth}` })
      }
    }
    at = to + 1
  }
  return outline
}

const LONGEST = 1000

/** Whether a line that begins with this character may be a heading or a fence: a blank, `#`, a backtick or `~`. */
const isMark = (code: number) => code === 32 || code === 35 || code === 96 || code === 126

/** The words of a heading without the marks around them. */
const plain = (title: string): string =>
  title
    .replace(/(?:^|[ \t])#+[ \t]*$/, '')
    .replaceAll(/\[\[([^[\]|]*\|)?([^[\]|]*)\]\]/g, '$2')
    .replaceAll(/\*\*|__|==|~~|`/g, '')
    .trim()
