import { setImmediate } from 'node:timers/promises'
import { slices } from '../watch/slices.ts'
import { sameStamp, type FileStamp } from '../files/open-file.ts'
import type { FileTable } from './segment/file-table.ts'
import type { NoteContent } from './words/note-tokens.ts'
import type { Query } from './words/query.ts'
import { createRecentIndex } from './recent-index.ts'
import { exactTermsOf, readRecentNote, type RecentNote } from './recent-notes.ts'

/** A note that differs from the segment: gone without a stamp, found by its words with a note, else left to the segment. */
type Change = { stamp: FileStamp | undefined; number: number; note?: RecentNote }

/** The notes that are found here, and what of the segment they hide. */
export type ChangesView = {
  recent: RecentNote[]
  /** For each whole word of the query, the notes that hold it. */
  holders: ReadonlyMap<string, ReadonlySet<RecentNote>>
  hiddenNotes: number
  isHidden(number: number): boolean
}

/** The notes that have changed since the segment was built. They hide what the segment says of them. */
export type ChangedNotes = {
  put(stamp: FileStamp, note: NoteContent): void
  /** `remember`: a segment that is being built may have read the note before it went. */
  remove(path: string, remember: 'remember' | 'forget'): void
  count(): number
  /** What a search sees, whatever changes while it runs. */
  view(query: Query): ChangesView
  /** How many notes more can be found than are in the segment. */
  difference(): number
  /** True while a note can be found in neither tier: it is too large for this one, or this one is full. */
  hasMissing(): boolean
  isFull(): boolean
  /** Resolves when every note that was put is taken apart. */
  whenRead(): Promise<unknown>
  /** Compares with a new segment, giving way to others, and answers how to go over to it in one step. */
  compare(table: FileTable): Promise<() => string[]>
}

// Above this a note waits for the next segment: taking it apart here would hold the memory of many notes.
const LARGEST = 512 * 1024
const MOST_NOTES = 1000
const MOST_TOKENS = 2_000_000
// Text that is taken apart at once, so that a save is found by the very next search.
const AT_ONCE = 32 * 1024

/** No changes yet, to the segment of a table. */
export function createChangedNotes(initial: FileTable): ChangedNotes {
  let table = initial
  let changes = new Map<string, Change>()
  let hidden = new Uint8Array(table.count)
  let hiddenNotes = 0
  let missing = 0
  let notes = 0
  let tokens = 0
  let index = createRecentIndex()
  const reading = new Set<Promise<void>>()

  const isMissing = ({ stamp, note }: Change) => stamp !== undefined && note === undefined

  function set(path: string, change: Change): void {
    drop(path)
    changes.set(path, change)
    if (isMissing(change)) missing++
    hide(change.number)
  }

  function drop(path: string): void {
    const change = changes.get(path)
    if (!change) return
    changes.delete(path)
    if (isMissing(change)) missing--
    if (change.note) {
      notes--
      tokens -= change.note.length
      index.remove(change.note)
    }
  }

  function hide(number: number): void {
    if (number === -1 || hidden[number] === 1) return
    hidden[number] = 1
    if (table.isNote(number)) hiddenNotes++
  }

  function complete(path: string, change: Change, note: RecentNote): void {
    // Put again or removed while it was being read.
    if (changes.get(path) !== change) return
    change.note = note
    missing--
    notes++
    tokens += note.length
    index.add(note)
  }

  async function readInSlices(path: string, change: Change, reader: Generator<void, RecentNote>): Promise<void> {
    for (;;) {
      await setImmediate()
      const step = reader.next()
      if (step.done) return complete(path, change, step.value)
      if (changes.get(path) !== change) return
    }
  }

  const isFull = () => notes >= MOST_NOTES || tokens >= MOST_TOKENS

  return {
    put(stamp, note) {
      const { path } = note
      const number = table.numberOf(path)
      const isKnown = !changes.has(path) && number !== -1 && sameStamp(table.stamp(number), stamp)
      if (isKnown && table.isNote(number)) return
      const change: Change = { stamp, number }
      set(path, change)
      if (note.text.length > LARGEST || isFull()) return
      const reader = readRecentNote(note)
      if (note.text.length > AT_ONCE) {
        const read = readInSlices(path, change, reader)
        reading.add(read)
        void read.finally(() => reading.delete(read))
        return
      }
      for (let step = reader.next(); ; step = reader.next()) if (step.done) return complete(path, change, step.value)
    },
    remove(path, remember) {
      const number = table.numberOf(path)
      const isFound = number !== -1 && table.isNote(number)
      if (!isFound && remember === 'forget') drop(path)
      else set(path, { stamp: undefined, number })
    },
    count: () => changes.size,
    view(query) {
      const recent = Array.from(changes.values(), ({ note }) => note).filter((note) => note !== undefined)
      const holders = new Map(exactTermsOf(query.must).map((term) => [term, index.holding(term)]))
      if (hiddenNotes === 0) return { recent, holders, hiddenNotes, isHidden: () => false }
      const then = hidden.slice()
      return { recent, holders, hiddenNotes, isHidden: (number) => then[number] === 1 }
    },
    difference: () => notes - hiddenNotes,
    hasMissing: () => missing > 0,
    isFull,
    whenRead: () => Promise.all(reading),

    async compare(next) {
      const isCurrent = ({ stamp }: Change, number: number) =>
        stamp === undefined ? number === -1 : number !== -1 && sameStamp(next.stamp(number), stamp)
      const compared = new Map<Change, { number: number; current: boolean }>()
      // Filled before the notes go over to it: adding a thousand notes at once would hold the event loop.
      const nextIndex = createRecentIndex()
      const indexed = new Set<RecentNote>()
      const check = (path: string, change: Change) => {
        const number = next.numberOf(path)
        return { number, current: isCurrent(change, number) }
      }
      const pause = slices()
      for (const [path, change] of changes) {
        const its = check(path, change)
        compared.set(change, its)
        if (change.note && !its.current) {
          nextIndex.add(change.note)
          indexed.add(change.note)
        }
        await pause()
      }

      return () => {
        const before = changes
        const missed: string[] = []
        table = next
        changes = new Map()
        hidden = new Uint8Array(table.count)
        hiddenNotes = 0
        missing = 0
        notes = 0
        tokens = 0
        index = nextIndex
        for (const [path, change] of before) {
          const { number, current } = compared.get(change) ?? check(path, change)
          if (current) continue
          change.number = number
          set(path, change)
          if (change.note) {
            notes++
            tokens += change.note.length
            if (!indexed.delete(change.note)) index.add(change.note)
          } else if (change.stamp) missed.push(path)
        }
        for (const note of indexed) index.remove(note)
        return missed
      }
    },
  }
}
