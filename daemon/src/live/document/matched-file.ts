import type { Text } from '@codemirror/state'
import { toEditorText } from '../../edits/editor-text.ts'
import { stringOf } from '../../edits/whole-text.ts'

/** Compares files with texts, and remembers the last file that had a text: a large one takes long to compare. */
export class MatchedFile {
  #last: { file: string; text: Text } | undefined

  /** The file has this text. */
  learn(file: string, text: Text): void {
    this.#last = { file, text }
  }

  /** Whether a file has a text, apart from its byte order mark and the kinds of its line ends. */
  has(file: string, text: Text): boolean {
    if (this.#last?.text === text && this.#last.file === file) return true
    const has = toEditorText(file) === stringOf(text)
    if (has) this.learn(file, text)
    return has
  }
}
