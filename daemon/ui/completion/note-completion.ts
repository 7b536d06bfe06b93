import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { withoutExtension, type Entry, type LinkIndex } from '../links/link-index.ts'
import { folderOf, resolveLink } from '../links/resolve-link.ts'
import { withClosedLink } from './close-link.ts'
import { plainTitle } from '../plain-line/plain-line.ts'

type Surroundings = () => { index: LinkIndex; path: string }

/** Offers notes after `[[`, and attachments too after `![[`; inserts the shortest text that finds the note. */
export function noteCompletion(surroundings: Surroundings) {
  return (context: CompletionContext): CompletionResult | null => {
    const before = context.matchBefore(/!?\[\[[^[\]\n|#]*/)
    if (!before) return null
    const { index, path } = surroundings()
    const isEmbed = before.text.startsWith('!')
    const entries: readonly Entry[] = isEmbed ? index.entries : index.notes
    // The vault's tree may still be on its way. The editor asks again with the next character, unless it has a list.
    if (entries.length === 0) return null
    return {
      from: before.from + (isEmbed ? 3 : 2),
      options: entries.map((entry) => completion(entry, { index, path })),
      validFor: /^[^[\]\n|#]*$/,
    }
  }
}

/** The shortest link text that resolves to this entry from the note at `path`. */
function shortestLink(entry: Entry, { index, path }: { index: LinkIndex; path: string }): string {
  const name = entry.kind === 'note' ? withoutExtension(entry.name) : entry.name
  if (resolveLink(index, { target: name, from: path })?.path === entry.path) return name
  return entry.kind === 'note' ? withoutExtension(entry.path) : entry.path
}

function completion(entry: Entry, place: { index: LinkIndex; path: string }): Completion {
  const name = entry.kind === 'note' ? withoutExtension(entry.name) : entry.name
  const title = entry.kind === 'note' ? plainTitle(entry.title) : ''
  return {
    label: title !== '' && title !== name ? `${name} — ${title}` : name,
    detail: folderOf(entry.path),
    apply: (view, _completion, from, to) =>
      withClosedLink(view, { from, to, insert: shortestLink(entry, place), part: 'name' }),
  }
}
