import { textChanges } from '../../edits/text-changes.ts'
import { toEditorText } from '../../edits/editor-text.ts'
import type { FileState } from '../note-file.ts'
import type { FoundSession, KnownFile } from '../log/replay-log.ts'

/**
 * The text that a session and its file last agreed on, with the baseline that the file had then. A file whose state is
 * not in the log was changed while the daemon was down, most likely from the state that it resembles most. Pure.
 */
export function agreedState({ files }: Pick<FoundSession, 'files'>, file: FileState): KnownFile {
  const same = files.find(({ baseline }) => baseline === file.baseline)
  if (same) return same
  const now = toEditorText(file.text)
  const distances = files.map((known) => ({ known, distance: distance(known.text, now) }))
  return distances.reduce((best, one) => (one.distance < best.distance ? one : best)).known
}

const distance = (before: string, after: string): number =>
  textChanges(before, after).reduce((sum, { from, to, insert }) => sum + to - from + insert.length, 0)
