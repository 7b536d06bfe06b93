import { tags } from '@lezer/highlight'
import type { MarkdownConfig } from '@lezer/markdown'

const BRACKET = 91
const BANG = 33
const EQUALS = 61
// Each opening mark searches for its end. Without a limit, parsing a long line of marks would take quadratic time.
const LONGEST = 1_000

/** `[[links]]`, `![[embeds]]` and `==highlights==` as nodes for the editor, each of at most 1,000 characters. */
export const wikiSyntax: MarkdownConfig = {
  defineNodes: [
    { name: 'WikiLink', style: tags.link },
    { name: 'Highlight', style: tags.special(tags.content) },
  ],
  parseInline: [
    {
      name: 'WikiLink',
      before: 'Link',
      parse: (context, next, pos) => {
        if (next !== BRACKET && next !== BANG) return -1
        const found = /^!?\[\[[^[\]\n]+\]\]/.exec(context.slice(pos, Math.min(context.end, pos + LONGEST)))
        return found ? context.addElement(context.elt('WikiLink', pos, pos + found[0].length)) : -1
      },
    },
    {
      name: 'Highlight',
      before: 'Emphasis',
      parse: (context, next, pos) => {
        if (next !== EQUALS) return -1
        const found = /^==(?=[^\s=])[^\n]*?[^\s=]==/.exec(context.slice(pos, Math.min(context.end, pos + LONGEST)))
        return found ? context.addElement(context.elt('Highlight', pos, pos + found[0].length)) : -1
      },
    },
  ],
}
