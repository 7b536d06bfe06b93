import { plainOutline } from '../markdown/plain-outline.ts'

/** A place that a link can name, in the words of the link. */
export type LinkPlace = { name: string; level: number }

const BLOCK = /(?:^|\s)\^([A-Za-z0-9-]+)[ \t]*$/gm
/** Nobody chooses from a longer list. */
const MOST = 1000

/**
 * The headings of a text, without duplicates. Characters that a link cannot contain are left out; a link finds the
 * heading without them. Pure.
 */
export function headingsOf(text: string): LinkPlace[] {
  const found = new Map<string, LinkPlace>()
  for (const { text: words, level } of plainOutline(text)) {
    const name = words
      .replaceAll(/[[\]|#^]+/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
    if (name !== '' && !found.has(name)) found.set(name, { name, level })
    if (found.size === MOST) break
  }
  return [...found.values()]
}

/** The names that blocks of a text have at their ends, such as `^sum`. Pure. */
export function blocksOf(text: string): string[] {
  const found = new Set<string>()
  for (const [, name] of text.matchAll(BLOCK)) {
    found.add(name!)
    if (found.size === MOST) break
  }
  return [...found]
}
