import type { ChangeSet, Text } from '@codemirror/state'
import { stringOf } from '../edits/whole-text.ts'

// UTF-8 has at most three bytes for each unit, and a byte order mark has three.
export const MOST_BYTES_PER_UNIT = 3

/** The bytes of a text in UTF-8 with `\n` at the end of each line, and the number of these line ends. */
export type TextSize = { bytes: number; lineEnds: number }

/** What a note file adds to the text in it. */
export type FileForm = { markBytes: 0 | 3; lineEndBytes: 1 | 2 }

/** The form that takes the most bytes, for a file that was not read. */
export const widestForm: FileForm = { markBytes: 3, lineEndBytes: 2 }

/** The form of a note file. One that mixes line ends may get the longest one anywhere. */
export const formOf = (file: string): FileForm => ({
  markBytes: file.startsWith('\uFEFF') ? 3 : 0,
  lineEndBytes: file.includes('\r') && file.includes('\n') ? 2 : 1,
})

/** The size of a part of a text. */
export const sizeOf = (text: Text, from = 0, to = text.length): TextSize => ({
  bytes: Buffer.byteLength(from === 0 && to === text.length ? stringOf(text) : text.sliceString(from, to)),
  lineEnds: text.lineAt(to).number - text.lineAt(from).number,
})

/** The size of a text after a change; examines only what has changed. Pure. */
export function sizeAfter(size: TextSize, before: Text, changes: ChangeSet): TextSize {
  const { ...after } = size
  changes.iterChanges((from, to, _from, _to, inserted) => {
    const [removed, added] = [sizeOf(before, from, to), sizeOf(inserted)]
    after.bytes += added.bytes - removed.bytes
    after.lineEnds += added.lineEnds - removed.lineEnds
  }, true)
  return after
}

/** The bytes of a note file with a text of this size. */
export const fileBytes = ({ bytes, lineEnds }: TextSize, { markBytes, lineEndBytes }: FileForm): number =>
  markBytes + bytes + lineEnds * (lineEndBytes - 1)
