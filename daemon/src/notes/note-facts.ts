import { baselineOf, blobNameOf } from './baseline.ts'
import { readProperties } from './frontmatter.ts'
import { outlineOf, proseLines, titleOf } from './outline.ts'

/** What the daemon keeps in memory of a note, beside its search index. */
export type NoteFacts = {
  kind: 'note'
  baseline: string
  /** What git calls this content. */
  blob: string
  title: string
}

/** What is read from a note at once: its facts, and what only the search index keeps. */
export type ReadFacts = NoteFacts & { tags: readonly string[]; properties: Record<string, unknown> }

/** What is known of a file's content. */
export type FileFacts = NoteFacts | { kind: 'attachment' }

/** Reads the facts of a note. */
export function readNoteFacts(path: string, bytes: Buffer, text: string): ReadFacts {
  const properties = readProperties(text)
  return {
    kind: 'note',
    baseline: baselineOf(bytes),
    blob: blobNameOf(bytes),
    title: titleOf(path, outlineOf(text)),
    tags: [...new Set([...propertyTags(properties), ...inlineTags(text)])],
    properties,
  }
}

function propertyTags(properties: Record<string, unknown>): string[] {
  const value = properties['tags'] ?? properties['tag']
  const listed = typeof value === 'string' ? value.split(/[\s,]+/) : Array.isArray(value) ? value.map(String) : []
  return listed.map((tag) => tag.replace(/^#/, '').toLowerCase()).filter((tag) => tag !== '')
}

const TAG = /(?<=^|[\s(])#([\p{L}\p{N}_/-]*[\p{L}_/-][\p{L}\p{N}_/-]*)/gu

function inlineTags(text: string): string[] {
  if (!text.includes('#')) return []
  return [...proseLines(text)].flatMap((line) =>
    Array.from(line.text.matchAll(TAG), (match) => match[1]!.toLowerCase()),
  )
}
