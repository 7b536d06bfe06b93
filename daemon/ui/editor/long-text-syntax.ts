import type { BlockContext, LeafBlock, Line, MarkdownConfig } from '@lezer/markdown'

// The parser reads a paragraph in one go, and again after every key in it. For each mark without an end it searches up
// to the end of the paragraph, so the time grows with the square of the length.
const LONGEST_LINE = 10_000
const LONGEST_PARAGRAPH = 10_000
// Rows are parsed one by one, so a table may be longer: as long as the longest table that is drawn.
const LONGEST_TABLE = 60_000
// The parser checks each level of quotes and lists at each line.
const DEEPEST = 40

const isLong = ({ text, pos }: Line) => text.length - pos > LONGEST_LINE
const endsBefore = (line: Line, { content }: LeafBlock) =>
  isLong(line) || (content.length > LONGEST_PARAGRAPH && (content.length > LONGEST_TABLE || !isTable(content)))

/** Whether the second line of a text is the line below the head of a table. */
function isTable(text: string): boolean {
  const from = text.indexOf('\n') + 1
  if (from === 0) return false
  const end = text.indexOf('\n', from)
  return /^[\s|:-]+$/.test(text.slice(from, end < 0 ? text.length : end))
}

/**
 * Limits what the editor parses in one go. A line that is too long, or too deep in quotes and lists, is shown as plain
 * source. A paragraph or table that is too long is split into several.
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

/** Ends a paragraph before an indented line. The parser does not call `endLeaf` for such lines. */
function endHere(context: BlockContext, line: Line, leaf: LeafBlock): boolean {
  if (!endsBefore(line, leaf)) return false
  const { start, content } = leaf
  const inside = context.parser.parseInline(content, start)
  context.addLeafElement(leaf, context.elt('Paragraph', start, start + content.length, inside))
  return true
}
