import { isUtf8 } from 'node:buffer'
import { isMarkdownName } from '../files/vault-path.ts'
import { setImmediate } from 'node:timers/promises'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of a note's bytes with its byte order mark and line ends, or undefined when they are not UTF-8. */
export function decodeNote(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? decoder.decode(bytes) : undefined
}

/** The text of a file when it is a note: Markdown by name, UTF-8 by content. Anything else is an attachment. */
export function noteTextOf(path: string, bytes: Buffer): string | undefined {
  return isMarkdownName(path) ? decodeNote(bytes) : undefined
}

// Decoding, encoding or hashing this many characters takes about a millisecond.
const LONG = 512 * 1024

/** Waits for the next turn of the event loop if a text is long. Call it between two passes over the whole text. */
export async function nextTurn(length: number): Promise<void> {
  if (length > LONG) await setImmediate()
}
