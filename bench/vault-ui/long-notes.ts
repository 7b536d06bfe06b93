import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const BYTES = 9_900_000

/** Notes of nearly the largest size, with lines of different lengths. */
export const longNotes = [
  { path: 'Short lines.md', what: 'lines of 7 characters', line: 'a line\n' },
  { path: 'Long lines.md', what: 'lines of 100 characters', line: `${'word goes on '.repeat(8)}\n` },
  { path: 'One line.md', what: 'one line', line: 'word goes on ' },
] as const

/** Writes them into a vault. */
export function writeLongNotes(root: string): void {
  for (const { path, line } of longNotes) writeFileSync(join(root, path), line.repeat(Math.floor(BYTES / line.length)))
}
