import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import type { EditorView } from '@codemirror/view'
import { withoutExtension, type Entry, type LinkIndex } from '../links/link-index.ts'
import { parseLinkTarget } from '../links/link-target.ts'
import { fitsWikiLink, markdownLink } from '../links/link-to-file.ts'
import { folderOf, resolveLink } from '../links/resolve-link.ts'
import { closedRest, withClosedLink } from './close-link.ts'
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
  const target = shortestLink(entry, place)
  return {
    label: title !== '' && title !== name ? `${name} — ${title}` : name,
    detail: folderOf(entry.path),
    apply: (view, _completion, from, to) =>
      fitsWikiLink(target)
        ? withClosedLink(view, { from, to, insert: target, part: 'name' })
        : withMarkdownLink(view, { from, to, entry, note: place.path }),
  }
}

/** Replaces the whole wiki link, as none can hold this name. What it showed stays shown. */
function withMarkdownLink(
  view: Pick<EditorView, 'state' | 'dispatch'>,
  { from, to, entry, note }: { from: number; to: number; entry: Entry; note: string },
): void {
  const rest = closedRest(view, to)
  const { heading, block, alias } = parseLinkTarget(rest?.slice(rest.search(/\\?\||#|$/)) ?? '')
  const insert = markdownLink({
    path: entry.path,
    from: note,
    shown: alias ?? (entry.kind === 'note' ? withoutExtension(entry.name) : entry.name),
    place: block === undefined ? heading : `^${block}`,
  })
  const start = from - '[['.length
  // An embedded attachment stays embedded. Markdown embeds no notes.
  const first = entry.kind === 'note' && view.state.sliceDoc(start - 1, start) === '!' ? start - 1 : start
  view.dispatch({
    changes: { from: first, to: rest === undefined ? to : to + rest.length + ']]'.length, insert },
    selection: { anchor: first + insert.length },
    userEvent: 'input.complete',
  })
}
