import type { ChangeSet, Text } from '@codemirror/state'
import { toFileText } from '../../edits/file-text.ts'
import { stringOf } from '../../edits/whole-text.ts'

// Files of this length are not compared line by line, which takes long in a file of short lines.
const LARGE = 64 * 1024

type Change = { file: string; text: Text; changes: ChangeSet | undefined }

/**
 * The file's text after an edit, with the byte order mark and the line ends of the file. `changes`: the edit itself,
 * where it is known.
 */
export const fileTextAfter = ({ file, text, changes }: Change): string =>
  changes && file.length > LARGE && file.includes('\r') ? changedFile(file, changes) : toFileText(file, stringOf(text))

/**
 * A file after changes of its text: everything that no change touches keeps its bytes. A line end
 * of an inserted text becomes the one that it replaces, otherwise that of its line or of the line before. Takes linear
 * time.
 */
export function changedFile(file: string, changes: ChangeSet): string {
  const reader = new LineEndReader(file)
  const parts: string[] = []
  let isAfterReturn = false
  const add = (part: string) => {
    if (part === '') return
    // A lone \r before a \n would become one line end with it.
    if (isAfterReturn && part.startsWith('\n')) parts.push('\r')
    parts.push(part)
    isAfterReturn = part.endsWith('\r')
  }

  let kept = 0
  changes.iterChanges((from, to, _from, _to, inserted) => {
    reader.moveTo(from)
    add(file.slice(kept, reader.at))
    let end = inserted.lines > 1 ? reader.endHere(from === to) : ''
    const replaced: string[] = []
    reader.moveTo(to, replaced)
    kept = reader.at
    for (const [nth, line] of inserted.toJSON().entries()) {
      if (nth > 0) add((end = replaced[nth - 1] ?? end))
      add(line)
    }
  }, true)
  add(file.slice(kept))
  return parts.join('')
}

/** Reads a file from its first line end to the last. Places are those of the text, where each line end is one unit. */
class LineEndReader {
  readonly #file: string
  /** The offset in the file. */
  at: number
  #place = 0
  #lineStart = 0
  /** The line end before this place. */
  #before = ''
  /** The next line end, once it was searched for. */
  #next = { at: -1, end: '' }

  constructor(file: string) {
    this.#file = file
    this.at = file.startsWith('\uFEFF') ? 1 : 0
  }

  /** Moves forward to a place; adds the line ends in between to `passed`. */
  moveTo(place: number, passed?: string[]): void {
    while (this.#place < place) {
      const end = endAt(this.#file, this.at)
      this.#place += 1
      this.at += end.length || 1
      if (end === '') continue
      passed?.push(end)
      this.#before = end
      this.#lineStart = this.#place
    }
  }

  /** The line end for lines that come here: that of this line, or of the line before if they go in between. */
  endHere(isInsertion: boolean): string {
    if (isInsertion && this.#place === this.#lineStart && this.#before !== '') return this.#before
    return this.#nextEnd() || this.#before || '\n'
  }

  #nextEnd(): string {
    if (this.#next.at < this.at) {
      let at = this.at
      while (at < this.#file.length && endAt(this.#file, at) === '') at++
      this.#next = { at, end: endAt(this.#file, at) }
    }
    return this.#next.end
  }
}

function endAt(file: string, at: number): '\n' | '\r\n' | '\r' | '' {
  const unit = file.charCodeAt(at)
  if (unit === 10) return '\n'
  if (unit !== 13) return ''
  return file.charCodeAt(at + 1) === 10 ? '\r\n' : '\r'
}
