import { readNoteFacts } from '../../markdown/note-facts.ts'
import { decodeNote } from '../../notes/decode-note.ts'
import { isMarkdownName } from '../../files/vault-path.ts'
import { listVaultSync, VaultReader } from './read-vault-sync.ts'
import { SegmentBuilder } from './segment-builder.ts'

/** A vault to be indexed, and the file to write the segment to. */
export type BuildRequest = { root: string; target: string; maxNoteBytes: number }

/**
 * Reads a whole vault and writes its segment; `beforeEachFile` may end it. Files that appear, vanish or change
 * meanwhile have other stamps afterwards.
 */
export function buildSegment({ root, target, maxNoteBytes }: BuildRequest, beforeEachFile: () => void): void {
  const builder = new SegmentBuilder(target)
  const reader = new VaultReader({ root, maxBytes: maxNoteBytes })
  for (const path of listVaultSync(root)) {
    beforeEachFile()
    const isMarkdown = isMarkdownName(path)
    const file = reader.read(path, isMarkdown ? 'bytes' : 'stamp')
    if (!file) continue
    const { stamp, bytes } = file
    // A note that could not be read has no record: the daemon reads it itself.
    if (isMarkdown && !bytes && stamp.size <= maxNoteBytes) continue
    const text = bytes && decodeNote(bytes)
    if (text === undefined) builder.addAttachment(path, stamp)
    else builder.addNote({ path, text, stamp, ...readNoteFacts(path, bytes!, text) })
  }
  reader.close()
  builder.write()
}
