import { createHash } from 'node:crypto'
import { slices } from '../watch/slices.ts'
import type { PlannedNote } from './planned-note.ts'

// The characters that are hashed between two pauses.
const PIECE = 64 * 1024

/**
 * Names a plan, so that exactly what was shown is carried out. Texts are hashed piece by piece: all of them as one
 * string would hold up the event loop, or be longer than a string can be.
 */
export async function reviewOf(notes: readonly PlannedNote[], emptied: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  const pause = slices()
  const add = async (text: string) => {
    // The length separates a text from the next one.
    hash.update(`${text.length}:`)
    for (let at = 0; at < text.length; at += PIECE) {
      hash.update(text.slice(at, at + PIECE), 'utf16le')
      await pause()
    }
  }
  for (const { text, conflicts, ...note } of notes) {
    await add(JSON.stringify(note))
    await add(text)
    for (const { line, now, before } of conflicts) for (const part of [String(line), now, before]) await add(part)
  }
  await add(JSON.stringify(emptied))
  return hash.digest('hex').slice(0, 24)
}
