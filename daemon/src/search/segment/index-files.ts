import { isMarkdownName } from '../../files/vault-path.ts'
import { readNoteFacts } from '../../markdown/note-facts.ts'
import { decodeNote } from '../../notes/decode-note.ts'
import { VaultReader } from '../../files/read-vault-sync.ts'
import { SegmentPart } from './segment-part.ts'

/** Files of a vault, in the byte order of their paths, from which a part of a segment is built. */
export type FilesToIndex = {
  root: string
  paths: readonly string[]
  maxNoteBytes: number
  /** Prefix of the names of the files that take the postings for which the memory has no room. */
  target: string
  poolBytes: number
}

/**
 * Reads files; `beforeEach` may throw to stop it. Files that appear, vanish or change meanwhile have another stamp
 * afterwards.
 */
export function indexFiles(files: FilesToIndex, beforeEach: () => void): SegmentPart {
  const { root, paths, maxNoteBytes, target, poolBytes } = files
  const part = new SegmentPart({ target, poolBytes })
  const reader = new VaultReader({ root, maxBytes: maxNoteBytes })
  for (const path of paths) {
    beforeEach()
    const isMarkdown = isMarkdownName(path)
    const file = reader.read(path, isMarkdown ? 'bytes' : 'stamp')
    if (!file) continue
    const { stamp, bytes } = file
    // A note that could not be read has no record: the daemon reads it itself.
    if (isMarkdown && !bytes && stamp.size <= maxNoteBytes) continue
    const text = bytes && decodeNote(bytes)
    if (text === undefined) part.addAttachment(path, stamp)
    else part.addNote({ path, text, stamp, ...readNoteFacts(path, bytes!, text) })
  }
  reader.close()
  return part
}
