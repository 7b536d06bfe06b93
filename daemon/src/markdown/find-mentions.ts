import { lineCounter, linksOf } from './note-links.ts'
import { proseBlocks } from './prose-blocks.ts'

type Question = { text: string; names: readonly string[] }

const MAX_LINES = 5
// Scripts that are written without blanks between words: a name may stand next to any character.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u
const WORD = /[\p{L}\p{N}\p{M}_]/u

/** The lines of a note that name something without linking to it. Blocks of code are left out. */
export function findMentions({ text, names }: Question): number[] {
  const prose = proseWithoutLinks(text)
  const lines = new Set<number>()
  for (const name of names) {
    const lineOf = lineCounter(text)
    let found = 0
    for (const { index, 0: match } of prose.matchAll(new RegExp(RegExp.escape(name), 'giu'))) {
      if (!standsAlone(prose, index, index + match.length)) continue
      const line = lineOf(index)
      if (!lines.has(line) && ++found > MAX_LINES) break
      lines.add(line)
    }
  }
  return [...lines].toSorted((a, b) => a - b).slice(0, MAX_LINES)
}

/** Replaces code blocks, properties and links by NULs, so that offsets stay the same. */
function proseWithoutLinks(text: string): string {
  const links = linksOf(text)
  const pieces: string[] = []
  let next = 0
  let at = 0
  const hide = (end: number) => {
    if (end > at) pieces.push('\0'.repeat(end - at))
    at = Math.max(at, end)
  }
  const show = (end: number) => {
    if (end > at) pieces.push(text.slice(at, end))
    at = Math.max(at, end)
  }
  for (const block of proseBlocks(text)) {
    hide(block.start)
    for (; next < links.length && links[next]!.start < block.end; next++) {
      show(links[next]!.start)
      hide(links[next]!.end)
    }
    show(block.end)
  }
  return pieces.join('')
}

/** True when a name is not a part of a longer word. */
function standsAlone(text: string, start: number, end: number): boolean {
  return isBoundary(text[start - 1], text[start]!) && isBoundary(text[end], text[end - 1]!)
}

function isBoundary(outside: string | undefined, inside: string): boolean {
  return outside === undefined || !WORD.test(outside) || !WORD.test(inside) || UNSPACED.test(inside)
}
