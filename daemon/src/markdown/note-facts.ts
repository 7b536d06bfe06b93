import type { NoteProblem } from '@svc/shared/wire/daemon/daemon.api.ts'
import { baselineOf, blobNameOf } from '../files/baseline.ts'
import { readProperties } from './read-properties.ts'
import { headingsOf, proseLines, titleOf } from './outline.ts'

/** What the daemon keeps in memory about a note, besides its search index. */
export type NoteFacts = {
  kind: 'note'
  baseline: string
  /** The git object id of this content. */
  blob: string
  title: string
  /** Why the note is served without what could not be parsed. */
  problem?: NoteProblem
}

/** What is read from a note in one pass: its facts, and what only the search index keeps. */
export type ReadFacts = NoteFacts & { tags: readonly string[]; properties: Record<string, unknown> }

/** What is known about the content of a file. */
export type FileFacts = NoteFacts | { kind: 'attachment' }

// A limit, because every tag is kept in memory. No real note has more.
const MAX_TAGS = 1000

/** Reads the facts of a note. */
export function readNoteFacts(path: string, bytes: Uint8Array, text: string): ReadFacts {
  const { values: properties, problem } = readProperties(text)
  return {
    kind: 'note',
    baseline: baselineOf(bytes),
    blob: blobNameOf(bytes),
    title: titleOf(path, headingsOf(text)),
    tags: [...new Set([...propertyTags(properties), ...inlineTags(text)])].slice(0, MAX_TAGS),
    properties,
    ...(problem && { problem }),
  }
}

function propertyTags(properties: Record<string, unknown>): string[] {
  const value = properties['tags'] ?? properties['tag']
  const listed =
    typeof value === 'string' ? value.split(/[\s,]+/) : Array.isArray(value) ? value.filter(isWord).map(String) : []
  return listed.map((tag) => tag.replace(/^#/, '').toLowerCase()).filter((tag) => tag !== '')
}

const isWord = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number'

const TAG = /(?<=^|[\s(])#([\p{L}\p{N}_/-]+)/gu
const isNumber = (tag: string): boolean => /^\p{N}+$/u.test(tag)

// Characters that cannot follow the `#` of a tag. Most `#` marks belong to headings.
const NOT_IN_TAG = ' \t\r\n#'

/** False if no `#` in a text can begin a tag. Most notes have headings and no tags, and parsing their lines is slow. */
function mayHaveTag(text: string): boolean {
  for (let at = text.indexOf('#'); at !== -1; at = text.indexOf('#', at + 1))
    if (!NOT_IN_TAG.includes(text[at + 1] ?? ' ')) return true
  return false
}

function inlineTags(text: string): string[] {
  if (!mayHaveTag(text)) return []
  return [...proseLines(text)].flatMap((line) =>
    Array.from(line.text.matchAll(TAG), (match) => match[1]!.toLowerCase()).filter((tag) => !isNumber(tag)),
  )
}
