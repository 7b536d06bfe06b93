import { NoteDocument } from '../../daemon/src/live/note-document.ts'
import { vaultText } from './note-text.ts'

const BYTES = 100_000
const TIMES = 20
const outside = { kind: 'outside', name: 'Outside edit' } as const

const byLines = (change: (lines: string[]) => string[]) => (text: string) => change(text.split('\n')).join('\n')

/** How other programs rewrite a whole note. */
const rewrites: Record<string, (text: string) => string> = {
  'a word in each line': (text) => text.replaceAll(/^\S+/gm, 'other'),
  'every word': (text) => text.replaceAll(/\S+/g, (word) => `${word}s`),
  'wrapped anew': (text) => text.replaceAll(/(.{1,60})\s/g, '$1\n'),
  'lines in reverse': byLines((lines) => lines.toReversed()),
  'lines sorted': byLines((lines) => lines.toSorted()),
  'another text': (text) => [...text].toReversed().join(''),
  'one line': (text) => text.replaceAll('\n', ' '),
}

/**
 * Merges each rewrite with text that a person has typed; returns the duration of the slowest merge, and its rewrite.
 */
export function slowestMerge(): { rewrite: string; ms: number } {
  let slowest = { rewrite: '', ms: 0 }
  for (let time = 0; time < TIMES; time++)
    for (const [rewrite, change] of Object.entries(rewrites)) {
      const text = vaultText(BYTES)
      const document = new NoteDocument({ text })
      for (let nth = 0; nth < 20; nth++) {
        const at = nth * Math.floor(BYTES / 25)
        const typed = [at, [0, 'typed '], document.text.length - at] as (number | [number, ...string[]])[]
        document.apply(document.rebase({ version: document.version, clientID: 'bench', updates: [typed] }))
      }
      const file = change(text)
      const since = performance.now()
      document.mergeFile(file, 'outside', outside)
      const ms = performance.now() - since
      // The first rounds compile the code, so they do not count.
      if (time > 1 && ms > slowest.ms) slowest = { rewrite, ms }
    }
  return slowest
}
