import { z } from 'zod'

/** Limits for JSON that a stranger sends: a few megabytes of it must not hold the event loop. */

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const MAX_KEYS = 1_000

// Without this option zod collects a problem for every element: seconds and gigabytes for 4 MB of wrong elements.
const firstProblemOnly: z.core.ParseContextInternal<z.core.$ZodIssue> = { abortEarly: true }

/** Like `safeParse`, but stops at the first problem. */
export const parseForeign = <T extends z.ZodType>(schema: T, value: unknown) =>
  schema.safeParse(value, firstProblemOnly)

/** A record with a limited number of keys. Zod parses the whole of a record, even when its first value is wrong. */
export const smallRecord = <T extends z.ZodType>(value: T) =>
  z.unknown().refine(hasFewKeys, `has more than ${MAX_KEYS} keys`).pipe(z.record(z.string(), value))

function hasFewKeys(value: unknown): boolean {
  return typeof value !== 'object' || value === null || Object.keys(value).length <= MAX_KEYS
}

/**
 * True if a JSON text has more than `most` values. Cheap enough to ask before the text is parsed: many small values cost
 * parsers far more time and memory than one long text. Pure.
 */
export function hasMoreValues(json: string, most: number): boolean {
  let values = 1
  let isInText = false
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) isInText = !isInText
    else if (code === BACKSLASH) at++
    else if (isInText) continue
    else if ((code === COMMA || code === OPEN_ARRAY || code === OPEN_OBJECT) && ++values > most) return true
  }
  return false
}
