import type { MarkdownIt } from 'markdown-it'

/** Letters of scripts that are written from right to left, such as Hebrew and Arabic. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Whether some of a text is written from right to left. */
export const hasRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text)

/**
 * Lays out each block in the direction of its first letter, with its bullets and borders. Only in notes that have such
 * letters. The columns of tables stay in their order, since the keys and menus of the editor name their sides.
 */
export function directions(md: MarkdownIt) {
  md.core.ruler.push('directions', ({ src, tokens }) => {
    if (!hasRightToLeft(src)) return
    for (const token of tokens)
      if (token.level === 0 && token.nesting === 1 && token.type !== 'table_open') token.attrSet('dir', 'auto')
  })
}
