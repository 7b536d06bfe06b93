import type { FoundSession, KnownFile } from '../log/replay-log.ts'
import { NoteDocument } from '../note-document.ts'
import type { FileState } from '../note-file.ts'
import { linesInTurns, textInTurns } from './text-in-turns.ts'

/** The text of a session, with what it and the present file agree on. Others have their turn in between. */
export async function restoredDocument(
  { text, writers }: FoundSession,
  { agreed, now }: { agreed: KnownFile; now: FileState | undefined },
): Promise<NoteDocument> {
  const unsaved = await linesInTurns(text)
  if (agreed.baseline !== now?.baseline)
    return new NoteDocument({ text: unsaved, agreed: await linesInTurns(agreed.text), writers })
  return new NoteDocument({ text: unsaved, agreed: await textInTurns(now.text), file: now.text, writers })
}
