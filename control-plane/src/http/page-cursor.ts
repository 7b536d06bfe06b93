import { fail } from '@svc/shared/wire/errors.ts'

/** An opaque position in a list, made of texts. */
export function encodeCursor(...parts: string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** The texts of a position, or undefined at the beginning; a malformed cursor is an invalid request. */
export function decodeCursor(cursor: string | undefined, length: number): string[] | undefined {
  if (cursor === undefined) return undefined
  const parts = parse(cursor)
  if (Array.isArray(parts) && parts.length === length && parts.every((part) => typeof part === 'string')) return parts
  throw fail('invalid_request', [{ path: 'query.cursor', message: 'must be a nextCursor that was answered' }])
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return undefined
  }
}
