import { yamlLanguage } from '@codemirror/lang-yaml'
import { parseMixed } from '@lezer/common'
import { tags } from '@lezer/highlight'
import type { MarkdownConfig } from '@lezer/markdown'
import type { Text } from '@codemirror/state'

const DASHES = /^---[ \t]*$/
// A block that is not closed yet takes at most this many lines of the note.
const MOST_LINES = 1000

/**
 * Parses the YAML block at the beginning of a note as a block of the Markdown. The usual way, a YAML language around
 * the Markdown language, would parse the whole note again after every key.
 */
export const frontMatterSyntax: MarkdownConfig = {
  defineNodes: [
    { name: 'Frontmatter', block: true },
    { name: 'FrontmatterContent', block: true },
    { name: 'DashLine', style: tags.meta },
  ],
  parseBlock: [
    {
      name: 'Frontmatter',
      before: 'IndentedCode',
      parse: (context, line) => {
        if (context.lineStart !== 0 || !DASHES.test(line.text)) return false
        const parts = [context.elt('DashLine', 0, line.text.length)]
        const from = line.text.length + 1
        let to = line.text.length
        for (let lines = 0; lines < MOST_LINES && context.nextLine(); lines++) {
          const end = context.lineStart + line.text.length
          if (!DASHES.test(line.text)) {
            to = end
            continue
          }
          if (to > from) parts.push(context.elt('FrontmatterContent', from, to))
          parts.push(context.elt('DashLine', context.lineStart, end))
          context.nextLine()
          context.addElement(context.elt('Frontmatter', 0, end, parts))
          return true
        }
        if (to > from) parts.push(context.elt('FrontmatterContent', from, to))
        context.nextLine()
        context.addElement(context.elt('Frontmatter', 0, to, parts))
        return true
      },
    },
  ],
  wrap: parseMixed(({ name }) => (name === 'FrontmatterContent' ? { parser: yamlLanguage.parser } : null)),
}

/** The number of the first line after the front matter: 1 without front matter, the last line if no text follows it. */
export function firstTextLine(doc: Text): number {
  if (!DASHES.test(doc.line(1).text)) return 1
  const last = Math.min(doc.lines, MOST_LINES)
  for (let number = 2; number <= last; number += 1)
    if (DASHES.test(doc.line(number).text)) return Math.min(number + 1, doc.lines)
  return 1
}
