import type { MarkdownIt, Token } from 'markdown-it'
import { placeOf } from './place.ts'

/** One heading as the outline shows it; `id` is that of its element. */
export type OutlineEntry = { level: number; text: string; line: number; id: string }

const OUTLINE = Symbol('outline')

/** Gives headings ids for links, and collects them as the outline. */
export function headings(md: MarkdownIt) {
  md.core.ruler.push('headings', (state) => {
    const seen = new Map<string, number>()
    const outline: OutlineEntry[] = []
    state.tokens.forEach((token, at) => {
      if (token.type !== 'heading_open') return
      const text = plainText(state.tokens[at + 1]!)
      const key = headingKey(text)
      const nth = seen.get(key) ?? 0
      seen.set(key, nth + 1)
      const id = nth === 0 ? `h-${key}` : `h-${key}-${nth + 1}`
      token.attrSet('id', id)
      const line = (token.map?.[0] ?? 0) + placeOf(state.env).firstLine
      // Headings inside quotes and callouts are not part of the note's own structure.
      if (token.level === 0) outline.push({ level: Number(token.tag.slice(1)), text, line, id })
    })
    ;(state.env as { [key: symbol]: unknown })[OUTLINE] = outline
  })
}

/** The outline that rendering collected. */
export function outlineIn(env: { [key: symbol]: unknown }): OutlineEntry[] {
  return (env[OUTLINE] as OutlineEntry[] | undefined) ?? []
}

// Normalizing a run of combining marks takes quadratic time; this many characters distinguish a heading.
const MAX_KEY_LENGTH = 1024

/** The form in which heading names are compared: links leave out punctuation and case. */
export function headingKey(text: string): string {
  return text
    .slice(0, MAX_KEY_LENGTH)
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^-|-$/g, '')
}

function plainText({ children }: Token): string {
  const parts = (children ?? []).map((token) => {
    if (token.type === 'softbreak' || token.type === 'hardbreak') return ' '
    if (token.type === 'image') return plainText(token)
    return token.type === 'tag' ? `#${token.content}` : token.content
  })
  return parts.join('').trim()
}

/** The line of the heading that a link names. In `A#B` that is B. */
export function findHeadingLine(outline: readonly OutlineEntry[], heading: string): number | undefined {
  const key = headingKey(heading.split('#').findLast((part) => part !== '') ?? '')
  return outline.find(({ text }) => headingKey(text) === key)?.line
}
