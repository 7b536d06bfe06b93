import type { BlockContext, LeafBlock, Line, MarkdownConfig } from '@lezer/markdown'

// A parser reads a paragraph in one go, and again after every key in it. What begins in it and has no end is looked for
// to the end of it, so the time grows with the square of its length.
const LONGEST_LINE = 10_000
const LONGEST_PARAGRAPH = 10_000
// Rows are read one by one. As long as the longest table that is drawn.
const LONGEST_TABLE = 60_000
// Each level of quotes and lists is looked at with each line.
const DEEPEST = 40

const isLong = ({ text, pos }: Line) => text.length - pos > LONGEST_LINE
const endsBefore = (line: Line, { content }: LeafBlock) =>
  isLong(line) || (content.length > LONGEST_PARAGRAPH && (content.length > LONGEST_TABLE || !isTable(content)))

/** Whether the second line of a text is that below the head of a table. */
function isTable(text: string): boolean {
  const from = text.indexOf('\n') + 1
  if (from === 0) return false
  const end = text.indexOf('\n', from)
  return /^[\s|:-]+$/.test(text.slice(from, end < 0 ? text.length : end))
}

/**
 * Bounds what the editor reads in one go. A line that is too long, or too deep in quotes and lists, stands as it is
 * written, without colours or drawings; a paragraph or a table that is too long continues as another one.
 */
export const longTextSyntax: MarkdownConfig = {
  defineNodes: [{ name: 'LongLine', block: true }],
  parseBlock: [
    {
      name: 'LongLine',
      before: 'LinkReference',
      parse: (context, line) => {
        if (!isLong(line) && context.depth <= DEEPEST) return false
        context.addElement(context.elt('LongLine', context.lineStart + line.pos, context.lineStart + line.text.length))
        context.nextLine()
        return true
      },
      endLeaf: (_context, line, leaf) => endsBefore(line, leaf),
      leaf: () => ({ nextLine: endHere, finish: () => false }),
    },
  ],
}

/** Ends a paragraph before an indented line, of which the parser does not ask whether it ends one. */
function endHere(context: BlockContext, line: Line, leaf: LeafBlock): boolean {
  if (!endsBefore(line, leaf)) return false
  const { start, content } = leaf
  const inside = context.parser.parseInline(content, start)
  context.addLeafElement(leaf, context.elt('Paragraph', start, start + content.length, inside))
  return true
}
