import { proseLines, type TextLine } from './outline.ts'

/** Lines of prose that belong together, as offsets into the text: no Markdown mark extends beyond its block. */
export type ProseBlock = { start: number; end: number; line: number }

const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/
const HEADING = /^ {0,3}#/

/** The blocks of a note outside properties and code, fenced or indented. */
export function* proseBlocks(text: string): Generator<ProseBlock> {
  let block: ProseBlock | undefined
  let inList = false

  for (const line of proseLines(text)) {
    if (block && block.end !== line.start) {
      yield block
      block = undefined
    }
    const isBlank = line.text.trim() === ''
    const isItem = !isBlank && ITEM.test(line.text)
    if (isItem) inList = true
    else if (!isBlank && !isIndented(line.text) && !block) inList = false

    // After a list item, an indented line continues the item. From its second line on, a paragraph may be indented
    // freely.
    if (isBlank || (isIndented(line.text) && !inList && !block)) {
      if (block) yield block
      block = undefined
      continue
    }
    if (block && (isItem || HEADING.test(line.text))) {
      yield block
      block = undefined
    }
    block = grown(block, line)
    if (HEADING.test(line.text)) {
      yield block
      block = undefined
    }
  }
  if (block) yield block
}

const isIndented = (line: string): boolean => line.startsWith('    ') || /^ {0,3}\t/.test(line)

function grown(block: ProseBlock | undefined, { start, end, number }: TextLine): ProseBlock {
  return block ? { ...block, end } : { start, end, line: number }
}
