import { fail } from '@svc/shared/wire/errors.ts'
import { isStorableText } from '@svc/shared/wire/text.ts'

/** What a part of a cursor is: any text, a time in ISO 8601 with milliseconds, or a positive integer. */
type CursorPart = 'text' | 'time' | 'number'

const isPart: Record<CursorPart, (part: string) => boolean> = {
  text: isStorableText,
  time: (part) => {
    const time = new Date(part)
    return !Number.isNaN(time.getTime()) && time.toISOString() === part
  },
  number: (part) => /^\d{1,15}$/.test(part),
}

/** An opaque position in a list, made of texts. */
export function encodeCursor(...parts: string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/**
 * The texts of a position, or undefined at the beginning. A malformed cursor is an invalid request: the database never
 * sees a time or a number that it cannot read. Pure.
 */
export function decodeCursor(cursor: string | undefined, shape: readonly CursorPart[]): string[] | undefined {
  if (cursor === undefined) return undefined
  const parts = parse(cursor)
  const fits = (part: unknown, index: number) => typeof part === 'string' && isPart[shape[index] ?? 'text'](part)
  if (Array.isArray(parts) && parts.length === shape.length && parts.every(fits)) return parts as string[]
  throw fail('invalid_request', [{ path: 'query.cursor', message: 'must be a nextCursor that was answered' }])
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return undefined
  }
}
