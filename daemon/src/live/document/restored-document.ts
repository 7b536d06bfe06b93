import type { FoundSession } from '../log/replay-log.ts'
import { NoteDocument } from '../note-document.ts'
import type { FileState } from '../note-file.ts'
import type { SaveMark } from '../session-state.ts'
import { agreedState } from './agreed-state.ts'
import { linesInTurns, textInTurns } from './text-in-turns.ts'

/** The baseline that the file has or, if a save was under way, may have; that save is `doubtful`. */
type Restored = { document: NoteDocument; baseline: string; doubtful?: SaveMark }

/**
 * The text of a session, with what it and the present file agree on. If the file cannot be read now, the first look at
 * it decides whether a save has reached it. Others have their turn in between.
 */
export async function restoredDocument(session: FoundSession, now: FileState | undefined): Promise<Restored> {
  const { files, writers } = session
  const text = await linesInTurns(session.text)
  if (!now) {
    const [{ baseline, text: first }, last] = [files[0]!, files.at(-1)!]
    const agreed = await linesInTurns(first)
    if (files.length === 1) return { document: new NoteDocument({ text, agreed, writers }), baseline }
    const document = new NoteDocument({ text, agreed, saving: await linesInTurns(last.text), writers })
    return { document, baseline, doubtful: { version: document.saving!.version, baseline: last.baseline } }
  }
  const { baseline, text: known } = agreedState(session, now)
  const file = baseline === now.baseline ? { agreed: await textInTurns(now.text), file: now.text } : undefined
  return { document: new NoteDocument({ text, ...(file ?? { agreed: await linesInTurns(known) }), writers }), baseline }
}
