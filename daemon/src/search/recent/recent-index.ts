import MiniSearch from 'minisearch'
import type { RecentNote } from './recent-notes.ts'

type Entry = { id: number; terms: string }

// A note with more distinct words would block the event loop when it is added or vacuumed; it is scanned instead.
const MOST_TERMS = 4_000
// The words of all indexed notes, each counted once per note. A thousand notes of a person have about 200,000.
const MOST_IN_ALL = 200_000
// No term contains a line break.
const BETWEEN = '\n'

/** Finds the changed notes that contain a word. Prefixes are searched in the notes themselves. */
export function createRecentIndex() {
  const index = new MiniSearch<Entry>({
    fields: ['terms'],
    tokenize: (text) => text.split(BETWEEN),
    processTerm: (term) => term,
    autoVacuum: { minDirtCount: 50, minDirtFactor: 0.2, batchSize: 200, batchWait: 10 },
  })
  const notes = new Map<number, RecentNote>()
  const ids = new Map<RecentNote, number>()
  const wide = new Set<RecentNote>()
  let lastId = 0
  let terms = 0

  return {
    add(note: RecentNote): void {
      const { size } = note.words
      if (size > MOST_TERMS || terms + size > MOST_IN_ALL) {
        wide.add(note)
        return
      }
      const id = ++lastId
      notes.set(id, note)
      ids.set(note, id)
      terms += size
      index.add({ id, terms: [...note.words.keys()].join(BETWEEN) })
    },
    remove(note: RecentNote): void {
      const id = ids.get(note)
      if (id === undefined) return void wide.delete(note)
      ids.delete(note)
      notes.delete(id)
      terms -= note.words.size
      index.discard(id)
    },
    /** The notes that contain exactly this word. */
    holding(term: string): Set<RecentNote> {
      const found = index.search(term, { tokenize: (text) => [text] })
      const holders = found.map(({ id }) => notes.get(id as number)).filter((note) => note !== undefined)
      return new Set([...holders, ...[...wide].filter(({ words }) => words.has(term))])
    },
  }
}
