import { isUtf8 } from 'node:buffer'
import { isMarkdownName } from '../files/vault-path.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of a note's bytes with its byte order mark and line ends, or undefined when they are not UTF-8. */
export function decodeNote(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? decoder.decode(bytes) : undefined
}

/** The text of a file when it is a note: Markdown by name, UTF-8 by content. Anything else is an attachment. */
export function noteTextOf(path: string, bytes: Buffer): string | undefined {
  return isMarkdownName(path) ? decodeNote(bytes) : undefined
}
