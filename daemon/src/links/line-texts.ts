import { readWhole } from '../files/open-file.ts'
import { decodeNote } from '../notes/decode-note.ts'

type Place = { root: string; path: string; maxNoteBytes: number }

const MAX_TEXT = 300
const MAX_LINES = 20

/** The texts of the first of some lines of a note; empty if the note cannot be read now. */
export async function lineTexts(place: Place, lines: readonly number[]): Promise<{ line: number; text: string }[]> {
  const text = await noteText(place)
  if (text === undefined) return []
  const texts: { line: number; text: string }[] = []
  let line = 1
  let start = 0
  for (const wanted of lines.slice(0, MAX_LINES)) {
    for (; line < wanted && start !== -1; line++) start = startAfter(text, start)
    if (start === -1) break
    const feed = text.indexOf('\n', start)
    const content = text.slice(start, feed === -1 ? undefined : Math.min(feed, start + MAX_TEXT * 4))
    texts.push({ line, text: content.trim().slice(0, MAX_TEXT).toWellFormed() })
  }
  return texts
}

/** The text of a note, or undefined when it cannot be read now. */
export async function noteText({ root, path, maxNoteBytes }: Place): Promise<string | undefined> {
  const seen = await readWhole(root, path, maxNoteBytes).catch(() => undefined)
  return seen && decodeNote(seen.bytes)
}

function startAfter(text: string, start: number): number {
  const feed = text.indexOf('\n', start)
  return feed === -1 ? -1 : feed + 1
}
