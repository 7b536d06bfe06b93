import { parse } from 'yaml'

/** The block of properties at the head of a note, as offsets into its text. */
export type Frontmatter = {
  /** Offset of the first property line. */
  yamlStart: number
  /** Offset of the closing `---`. */
  yamlEnd: number
  /** Offset of the first character after the closing line. */
  end: number
}

const OPENING = /^\uFEFF?---[ \t]*\r?\n/

/** Finds the block of properties, or undefined when the note has none. */
export function findFrontmatter(text: string): Frontmatter | undefined {
  const opening = OPENING.exec(text)
  if (!opening) return undefined

  const closing = /^---[ \t]*(?:\r?\n|$)/gm
  closing.lastIndex = opening[0].length
  const match = closing.exec(text)
  if (!match) return undefined
  return { yamlStart: opening[0].length, yamlEnd: match.index, end: match.index + match[0].length }
}

/** The properties of a note. A block that is not a YAML map gives none: it stays text and is never repaired. */
export function readProperties(text: string): Record<string, unknown> {
  const block = findFrontmatter(text)
  if (!block) return {}
  try {
    const value: unknown = parse(text.slice(block.yamlStart, block.yamlEnd), {
      logLevel: 'error',
      maxAliasCount: 20,
      uniqueKeys: false,
    })
    return isMap(value) ? (JSON.parse(JSON.stringify(value)) as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
