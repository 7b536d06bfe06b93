import { fail } from '@svc/shared/wire/errors.ts'

/** The hits that a caller asks for, of all hits in order. */
export type SearchPage = { offset: number; limit: number }

// A page costs as much as all pages before it, and its end is sorted without a pause.
const DEEPEST = 10_000

/** The page at a cursor; fails for what is no cursor of a search. Pure. */
export function searchPage({ cursor, limit }: { cursor?: string | undefined; limit: number }): SearchPage {
  if (cursor === undefined) return { offset: 0, limit }
  const offset = Number(cursor)
  if (!/^\d{1,5}$/.test(cursor) || offset > DEEPEST)
    throw fail('invalid_request', [{ path: 'cursor', message: 'is not a cursor of this search' }])
  return { offset, limit }
}

/** The cursor of the page after one, unless it has the last hit or is the deepest. Pure. */
export function nextCursorOf({ offset, limit }: SearchPage, total: number): string | undefined {
  const next = offset + limit
  return next < total && next <= DEEPEST ? String(next) : undefined
}
