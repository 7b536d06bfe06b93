import { outlineOf, proseLines } from './outline.ts'

/**
 * The places in a note that a link may name, as hashes: those of a large vault fit into memory. If two names have the
 * same hash, a broken link is not found. That happens about once in a billion.
 */
export type NotePlaces = {
  /** Headings in order: a hash of 29 bits above three bits of level. */
  headings: number[]
  blocks: number[]
  /** False for a note with more places than are kept: then no name can be reported as missing. */
  isComplete: boolean
}

const MAX_PLACES = 10_000
const LEVEL_BITS = 7

/** Reads the headings and block names of a note. */
export function placesOf(text: string): NotePlaces {
  const outline = text.includes('#') || text.includes('\n=') || text.includes('\n-') ? outlineOf(text) : []
  const blocks = text.includes('^') ? Array.from(proseLines(text), (line) => blockName(line.text)) : []
  const named = blocks.filter((name) => name !== undefined)
  return {
    headings: outline.slice(0, MAX_PLACES).map(({ level, text: heading }) => packed(heading, level)),
    blocks: named.slice(0, MAX_PLACES).map((name) => hashOf(name.toLowerCase())),
    isComplete: outline.length <= MAX_PLACES && named.length <= MAX_PLACES,
  }
}

/**
 * Tells of a fragment of a link, `A#B` or `^block`, whether it names a place. Thousands of links may name places of one
 * long note, so its names are collected once.
 */
export function placeFinder({ headings, blocks, isComplete }: NotePlaces): (fragment: string) => boolean {
  if (!isComplete) return () => true
  const names = new Set(headings.map(nameOf))
  const blockNames = new Set(blocks)
  return (fragment) => {
    if (fragment.startsWith('^')) return blockNames.has(hashOf(fragment.slice(1).toLowerCase()))
    const wanted = fragment.split('#').map((part) => packed(part, 0))
    const areThere = wanted.every((part) => names.has(nameOf(part)))
    return areThere && (wanted.length === 1 || hasPath(headings, wanted))
  }
}

/** True if headings are there, each in the section of the one before it. */
function hasPath(headings: readonly number[], wanted: readonly number[]): boolean {
  const above: number[] = []
  for (const heading of headings) {
    const level = heading & LEVEL_BITS
    while (above.length > 0 && (above.at(-1)! & LEVEL_BITS) >= level) above.pop()
    above.push(heading)
    if (endsWithPath(above, wanted)) return true
  }
  return false
}

/** True if the last heading is the last one wanted and the others are above it, in order. */
function endsWithPath(above: readonly number[], wanted: readonly number[]): boolean {
  let at = wanted.length - 1
  if (!isSame(above.at(-1)!, wanted[at]!)) return false
  for (let level = above.length - 2; level >= 0 && at > 0; level--) if (isSame(above[level]!, wanted[at - 1]!)) at--
  return at === 0
}

const isSame = (heading: number, wanted: number): boolean => nameOf(heading) === nameOf(wanted)

/** The hash of a heading without its level. */
const nameOf = (heading: number): number => heading >>> 3

const packed = (heading: string, level: number): number => ((hashOf(comparable(heading)) & ~LEVEL_BITS) | level) >>> 0

/** Punctuation in a heading counts as blanks, because a link cannot contain all of it. */
const comparable = (heading: string): string =>
  heading
    .replace(/[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\]/g, ' ')
    .split(/\s/)
    .filter((word) => word !== '')
    .join(' ')
    .normalize('NFC')
    .toLowerCase()

/** `^name` at the end of a line, after a blank or alone. */
function blockName(line: string): string | undefined {
  const caret = line.lastIndexOf('^')
  if (caret === -1 || (caret > 0 && line[caret - 1] !== ' ' && line[caret - 1] !== '\t')) return undefined
  const name = line.slice(caret + 1).trimEnd()
  return /^[A-Za-z0-9-]+$/.test(name) ? name : undefined
}

/** FNV-1a over the UTF-16 code units. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
