import { setImmediate } from 'node:timers/promises'
import { prepareSwitch, type PreparedSwitch } from '../../watch/prepared-switch.ts'
import { slices } from '../../watch/slices.ts'
import { sameStamp, type FileStamp } from '../../files/file-stamp.ts'
import type { FileTable } from '../segment/file-table.ts'
import type { NoteContent } from '../words/note-tokens.ts'
import type { Query } from '../words/query.ts'
import { ChangeSet, isMissing, type Change } from './change-set.ts'
import { exactTermsOf, readRecentNote, type RecentNote } from './recent-notes.ts'

/** The notes that are searched here, and the notes of the segment that they hide. */
export type ChangesView = {
  recent: RecentNote[]
  /** For each of the first whole words of the query, the notes that contain it. */
  holders: ReadonlyMap<string, ReadonlySet<RecentNote>>
  hiddenNotes: number
  /** By note number of the segment: 1 for a hidden note. Empty when no note is hidden. */
  hidden: Uint8Array
}

/** The notes that have changed since the segment was built. They hide their entries in the segment. */
export type ChangedNotes = {
  put(stamp: FileStamp, note: NoteContent): void
  /** `remember`: a segment in progress may have read the note before it was deleted. */
  remove(path: string, remember: 'remember' | 'forget'): void
  has(path: string): boolean
  count(): number
  /** The snapshot for one search. */
  view(query: Query): ChangesView
  /** How many more notes can be found than the segment contains; may be negative. */
  difference(): number
  /** True while a note can be found in neither tier, because this one is full. */
  hasMissing(): boolean
  /** True while only the beginning of a note can be found. */
  hasCut(): boolean
  isFull(): boolean
  /** Resolves when every note that was put has been tokenized. */
  whenRead(): Promise<unknown>
  /** Compares with a new segment, in slices. */
  compare(table: FileTable): Promise<PreparedSwitch>
}

const MOST_NOTES = 1000
const MOST_TOKENS = 2_000_000
// Each look-up takes up to a millisecond, and all of them one turn. A note must contain the other words as well.
const MOST_LOOKED_UP = 8
const NONE_HIDDEN = new Uint8Array(0)

/** No changes yet, relative to the segment of a table. */
export function createChangedNotes(initial: FileTable): ChangedNotes {
  let current = new ChangeSet(initial)
  /** Notified of every change while another segment is compared. */
  let switching: { changed(path: string): void } | undefined
  const reading = new Set<Promise<void>>()

  function complete(path: string, change: Change, note: RecentNote): void {
    switching?.changed(path)
    current.complete(path, change, note)
  }

  async function readInSlices(path: string, change: Change, reader: Generator<void, RecentNote>): Promise<void> {
    for (;;) {
      await setImmediate()
      const step = reader.next()
      if (step.done) return complete(path, change, step.value)
      if (current.changes.get(path) !== change) return
    }
  }

  const isFull = () => current.notes >= MOST_NOTES || current.tokens >= MOST_TOKENS

  return {
    put(stamp, note) {
      const { path } = note
      const { table, changes } = current
      const number = table.numberOf(path)
      const isKnown = !changes.has(path) && number !== -1 && sameStamp(table.stamp(number), stamp)
      if (isKnown && table.isNote(number)) return
      switching?.changed(path)
      // A note that is changed again makes room for itself.
      current.drop(path)
      const change: Change = { stamp, number, isBeingRead: !isFull() }
      current.set(path, change)
      if (!change.isBeingRead) return
      // The response to the save is sent first. A search waits for the tokens.
      const read = readInSlices(path, change, readRecentNote(note))
      reading.add(read)
      void read.finally(() => reading.delete(read))
    },
    remove(path, remember) {
      const number = current.table.numberOf(path)
      const isFound = number !== -1 && current.table.isNote(number)
      switching?.changed(path)
      if (!isFound && remember === 'forget') current.drop(path)
      else current.set(path, { stamp: undefined, number })
    },
    has: (path) => current.changes.has(path),
    count: () => current.changes.size,
    view(query) {
      const { changes, index, hidden, hiddenNotes } = current
      const recent = Array.from(changes.values(), ({ note }) => note).filter((note) => note !== undefined)
      const terms = [...new Set(exactTermsOf(query.must))].slice(0, MOST_LOOKED_UP)
      const holders = new Map(terms.map((term) => [term, index.holding(term)]))
      return { recent, holders, hiddenNotes, hidden: hiddenNotes === 0 ? NONE_HIDDEN : hidden.slice() }
    },
    difference: () => current.notes - current.hiddenNotes,
    hasMissing: () => current.missing > 0,
    hasCut: () => current.cut > 0,
    isFull,
    whenRead: () => Promise.all(reading),

    async compare(table) {
      const next = new ChangeSet(table)

      const carryOver = (path: string) => {
        const change = current.changes.get(path)
        const number = table.numberOf(path)
        // It is read for the change before, whose result is carried over then.
        if (change && !isAsIn(table, number, change)) next.set(path, { ...change, number, isBeingRead: false })
        else next.drop(path)
      }
      const began = prepareSwitch({
        takeOver: carryOver,
        switchOver() {
          switching = undefined
          current = next
          return missingIn(next)
        },
      })
      switching = began

      const pause = slices()
      for (const path of Array.from(current.changes.keys())) {
        carryOver(path)
        await pause()
      }
      return began
    },
  }
}

/** The notes whose words neither tier has, as of the first step or later. */
function* missingIn({ changes }: ChangeSet): Generator<string> {
  for (const path of Array.from(changes.keys())) {
    const change = changes.get(path)
    if (change && isMissing(change)) yield path
  }
}

/** True when a segment has a note in its present state. It has no words of a file that is no note, such as a picture. */
function isAsIn(table: FileTable, number: number, { stamp }: Change): boolean {
  if (stamp === undefined) return number === -1 || !table.isNote(number)
  return number !== -1 && sameStamp(table.stamp(number), stamp)
}
