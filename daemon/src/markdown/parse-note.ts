import type { NoteProblem } from '@svc/shared/wire/daemon/daemon.api.ts'
import { readProperties } from './read-properties.ts'
import { outlineOf, titleOf } from './outline.ts'

/** What a reader gets besides the text of a note. */
export type NoteParts = {
  title: string
  properties: Record<string, unknown>
  outline: { level: number; text: string; line: number }[]
  problem?: NoteProblem
}

// Limits the outline: for a note of nothing but headings, the response would be many times larger than the note.
const MAX_HEADINGS = 5000
const MAX_HEADING_TEXT = 500

/** Parses the title, properties and outline of a note. */
export function partsOfNote({ path, text }: { path: string; text: string }): NoteParts {
  const outline = outlineOf(text)
  const { values: properties, problem } = readProperties(text)
  return {
    title: titleOf(path, outline),
    properties,
    outline: outline.slice(0, MAX_HEADINGS).map(({ level, text: heading, line }) => ({
      level,
      text: heading.slice(0, MAX_HEADING_TEXT).toWellFormed(),
      line,
    })),
    ...(problem && { problem }),
  }
}

/** The result for a note that could not be parsed: plain text, with its file name as the title. */
export function unparsedParts(path: string): NoteParts {
  return { title: titleOf(path, []), properties: {}, outline: [], problem: 'took_too_long' }
}
