import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { resolveLink } from '../links/resolve-link.ts'
import type { Surroundings } from '../live-preview/surroundings.ts'
import { withClosedLink } from './close-link.ts'
import { blocksOf, headingsOf } from './places-of-text.ts'

/** Offers the headings of a note after `[[Note#`, and its named blocks after `[[Note#^`; of this note after `[[#`. */
export function placeCompletion(surroundings: () => Surroundings) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const before = context.matchBefore(/\[\[[^[\]\n|#]*#[^[\]\n|#]*/)
    if (!before) return null
    const hash = before.text.indexOf('#')
    const text = await textOf(before.text.slice(2, hash), context, surroundings())
    if (text === undefined || context.aborted) return null
    const isBlock = before.text[hash + 1] === '^'
    return {
      from: before.from + hash + (isBlock ? 2 : 1),
      options: (isBlock ? blocksOf(text) : headingsOf(text)).map(option),
      validFor: /^[^[\]\n|#^]*$/,
    }
  }
}

/** The text of the note that a link names. A link without a name means the note that is being edited. */
async function textOf(name: string, { state }: CompletionContext, { index, path, read }: Surroundings) {
  if (name.trim() === '') return state.doc.toString()
  const target = resolveLink(index, { target: name, from: path })
  if (target?.kind !== 'note') return undefined
  return target.path === path ? state.doc.toString() : read(target.path).catch(() => undefined)
}

function option(place: string | { name: string; level: number }, nth: number): Completion {
  const name = typeof place === 'string' ? place : place.name
  return {
    label: name,
    detail: typeof place === 'string' ? 'block' : '#'.repeat(place.level),
    // In the order of the text.
    sortText: String(nth).padStart(6, '0'),
    apply: (view, _completion, from, to) => withClosedLink(view, { from, to, insert: name, part: 'place' }),
  }
}
