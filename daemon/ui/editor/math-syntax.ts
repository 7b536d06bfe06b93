import { tags } from '@lezer/highlight'
import type { MarkdownConfig } from '@lezer/markdown'

const DOLLAR = 36
// Longer text between two dollars is not a formula. Without this limit, each dollar in a long paragraph would make the
// parser read to the end of the paragraph.
const MAX_LENGTH = 2000

/** `$inline$`, `$$display$$` and blocks between lines of `$$` for the editor, by the rules of the reading view. */
export const mathSyntax: MarkdownConfig = {
  defineNodes: [
    { name: 'InlineMath', style: tags.monospace },
    { name: 'MathBlock', block: true, style: tags.monospace },
  ],
  parseInline: [
    {
      name: 'InlineMath',
      before: 'Escape',
      parse: (context, next, pos) => {
        if (next !== DOLLAR) return -1
        const length = formulaLength(context.slice(pos, Math.min(context.end, pos + MAX_LENGTH)))
        return length === undefined ? -1 : context.addElement(context.elt('InlineMath', pos, pos + length))
      },
    },
  ],
  parseBlock: [
    {
      name: 'MathBlock',
      before: 'FencedCode',
      parse: (context, line) => {
        if (line.next !== DOLLAR || line.text.slice(line.pos).trim() !== '$$') return false
        // In lists and quotes the block is left as text.
        if (!context.parentType().is('Document')) return false
        const from = context.lineStart + line.pos
        let end = from + 2
        while (context.nextLine()) {
          end = context.lineStart + line.text.length
          if (line.text.trim() !== '$$') continue
          context.nextLine()
          break
        }
        context.addElement(context.elt('MathBlock', from, end))
        return true
      },
      endLeaf: (_context, line) => line.text.slice(line.pos).trim() === '$$',
    },
  ],
}

/**
 * The length of the formula at the beginning of a text. A formula has no blank inside its dollars and no digit after
 * them.
 */
function formulaLength(text: string): number | undefined {
  if (text.startsWith('$$')) {
    const end = text.indexOf('$$', 2)
    return end > 2 ? end + 2 : undefined
  }
  if (isBlank(text[1])) return undefined
  for (let at = 1; at < text.length; at++) {
    if (text[at] !== '$' || text[at - 1] === '\\' || isBlank(text[at - 1])) continue
    if (text[at + 1] === '$' || /[0-9]/.test(text[at + 1] ?? '')) continue
    return at > 1 ? at + 1 : undefined
  }
  return undefined
}

const isBlank = (character: string | undefined) => character === undefined || /\s/.test(character)
