import type { Author } from '../api/daemon-client.ts'
import type { News } from '../api/news-calls.ts'
import { counted } from '../app/counted.ts'
import { foldersAbove } from '../tree/tree-rows.ts'
import type { NewsMark } from './news-context.ts'

type Kinds = Set<'people' | 'agents'>

/** The marks of changed notes and of the folders above them, by path. Pure. */
export function newsMarks(changed: News['changed'], reader: string): Map<string, NewsMark> {
  const marks = new Map<string, NewsMark>()
  const folders = new Map<string, { notes: number; kinds: Kinds }>()
  for (const { path, authors } of changed) {
    const kinds: Kinds = new Set(authors.map(({ kind }) => (kind === 'mcp_client' ? 'agents' : 'people')))
    marks.set(path, { by: byOf(kinds), words: `Changed by ${authorsInWords(authors, reader)} since you last read it` })
    for (const above of foldersAbove(path)) {
      const folder = folders.get(above) ?? { notes: 0, kinds: new Set() }
      folder.notes++
      for (const kind of kinds) folder.kinds.add(kind)
      folders.set(above, folder)
    }
  }
  for (const [path, { notes, kinds }] of folders)
    marks.set(path, {
      by: byOf(kinds),
      words: `${counted(notes, 'note')} in it changed since you last read ${notes === 1 ? 'it' : 'them'}`,
    })
  return marks
}

/** The authors of a change as part of a sentence: `Ben and Archivist, an agent for you`. Pure. */
export function authorsInWords(authors: readonly Author[], reader: string): string {
  const names = authors.map((author) => authorInWords(author, reader))
  return names.length < 3 ? names.join(' and ') : `${names.slice(0, -1).join('; ')} and ${names.at(-1)}`
}

function authorInWords({ kind, name, person }: Author, reader: string): string {
  if (kind === 'outside') return 'another program'
  if (kind !== 'mcp_client') return name
  const forWhom = person && (person.id === reader ? 'you' : person.name)
  return forWhom === undefined ? `${name}, an agent` : `${name}, an agent for ${forWhom}`
}

const byOf = (kinds: Kinds): NewsMark['by'] => (kinds.size > 1 ? 'both' : kinds.has('agents') ? 'agents' : 'people')
