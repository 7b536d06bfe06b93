import type { FileStamp } from '../../files/file-stamp.ts'
import { createRecentIndex } from './recent-index.ts'
import type { RecentNote } from './recent-notes.ts'
import type { FileTable } from '../segment/file-table.ts'

/**
 * A note that differs from the segment. Without a stamp it is deleted. With `note` its words are searched here;
 * otherwise it waits for the next segment, unless it is being read.
 */
export type Change = {
  stamp: FileStamp | undefined
  number: number
  note?: RecentNote
  isBeingRead?: boolean
}

/** True for a note that exists but whose words are not indexed. */
export const isMissing = ({ stamp, note, isBeingRead }: Change): boolean =>
  stamp !== undefined && note === undefined && !isBeingRead

/** The notes that differ from one segment. Each hides its entry in the segment. */
export class ChangeSet {
  readonly table: FileTable
  readonly changes = new Map<string, Change>()
  readonly hidden: Uint8Array
  readonly index = createRecentIndex()
  hiddenNotes = 0
  missing = 0
  /** The notes of which only the beginning is here. */
  cut = 0
  notes = 0
  tokens = 0

  constructor(table: FileTable) {
    this.table = table
    this.hidden = new Uint8Array(table.count)
  }

  set(path: string, change: Change): void {
    this.drop(path)
    this.changes.set(path, change)
    if (change.note) this.#count(change.note)
    else if (isMissing(change)) this.missing++
    this.#hide(change.number, 1)
  }

  drop(path: string): void {
    const change = this.changes.get(path)
    if (!change) return
    this.changes.delete(path)
    this.#hide(change.number, 0)
    if (isMissing(change)) this.missing--
    if (!change.note) return
    this.notes--
    if (change.note.isCut) this.cut--
    this.tokens -= change.note.length
    this.index.remove(change.note)
  }

  /** Adds the words of a note, unless the note was put again or removed meanwhile. */
  complete(path: string, change: Change, note: RecentNote): void {
    if (this.changes.get(path) !== change) return
    change.note = note
    this.#count(note)
  }

  #count(note: RecentNote): void {
    this.notes++
    if (note.isCut) this.cut++
    this.tokens += note.length
    this.index.add(note)
  }

  #hide(number: number, hidden: 0 | 1): void {
    if (number === -1 || this.hidden[number] === hidden) return
    this.hidden[number] = hidden
    if (this.table.isNote(number)) this.hiddenNotes += hidden === 1 ? 1 : -1
  }
}
