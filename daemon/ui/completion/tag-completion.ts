import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { syntaxTree } from '@codemirror/language'
import type { Surroundings } from '../live-preview/surroundings.ts'

const CODE = new Set(['FencedCode', 'CodeBlock', 'InlineCode', 'Frontmatter', 'InlineMath', 'MathBlock', 'WikiLink'])

/** Offers the tags of the vault after `#`, the most frequent first. */
export function tagCompletion(surroundings: () => Surroundings) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const before = context.matchBefore(/(?<![^\s(])#[\p{L}\p{N}\p{M}_/-]*/u)
    if (!before || isInCode(context)) return null
    // A lone `#` at the start of a line begins a heading.
    const isHeading = before.text === '#' && context.state.doc.lineAt(before.from).from === before.from
    if (isHeading && !context.explicit) return null
    const tags = await surroundings()
      .readTags()
      .catch(() => [])
    if (context.aborted || tags.length === 0) return null
    return {
      from: before.from + 1,
      options: tags.map(({ tag, count }, nth) => ({
        label: tag,
        detail: String(count),
        sortText: String(nth).padStart(6, '0'),
      })),
      validFor: /^[\p{L}\p{N}\p{M}_/-]*$/u,
    }
  }
}

function isInCode({ state, pos }: CompletionContext): boolean {
  for (let node = syntaxTree(state).resolveInner(pos, -1); ; node = node.parent!) {
    if (CODE.has(node.name)) return true
    if (!node.parent) return false
  }
}
