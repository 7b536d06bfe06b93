import type { NoteProblem } from '@svc/shared/wire/daemon/daemon.api.ts'
import { baselineOf, blobNameOf } from '../files/baseline.ts'
import { readProperties } from './read-properties.ts'
import { outlineOf, proseLines, titleOf } from './outline.ts'

/** What the daemon keeps in memory of a note, beside its search index. */
export type NoteFacts = {
  kind: 'note'
  baseline: string
  /** What git calls this content. */
  blob: string
  title: string
  /** Why the note is served without what could not be parsed. */
  problem?: NoteProblem
}

/** What is read from a note at once: its facts, and what only the search index keeps. */
export type ReadFacts = NoteFacts & { tags: readonly string[]; properties: Record<string, unknown> }

/** What is known of a file's content. */
export type FileFacts = NoteFacts | { kind: 'attachment' }

// More tags than this are no tags; every one is kept in memory.
const MAX_TAGS = 1000

/** Reads the facts of a note. */
export function readNoteFacts(path: string, bytes: Uint8Array, text: string): ReadFacts {
  const { values: properties, problem } = readProperties(text)
  return {
    kind: 'note',
    baseline: baselineOf(bytes),
    blob: blobNameOf(bytes),
    title: titleOf(path, outlineOf(text)),
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

function inlineTags(text: string): string[] {
  if (!text.includes('#')) return []
  return [...proseLines(text)].flatMap((line) =>
    Array.from(line.text.matchAll(TAG), (match) => match[1]!.toLowerCase()).filter((tag) => !isNumber(tag)),
  )
}
