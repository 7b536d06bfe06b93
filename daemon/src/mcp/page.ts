const AFTER = 'after:'

type Wanted<Item> = {
  limit: number
  cursor: string | undefined
  /** The items behind a path, which may be gone from the list. */
  after(path: string): readonly Item[]
}

/**
 * One page of a list that is available as a whole; `nextCursor` is set if there are more items. It names the last path,
 * so that no item is missed if others appear or disappear between two pages. A cursor that is a number is a position, as
 * earlier versions gave it. Pure.
 */
export function pageOf<Item extends { path: string }>(
  all: readonly Item[],
  { limit, cursor = '0', after }: Wanted<Item>,
) {
  const rest = cursor.startsWith(AFTER) ? after(cursor.slice(AFTER.length)) : all.slice(Number(cursor))
  const items = rest.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: last && rest.length > limit ? { nextCursor: AFTER + last.path } : {} }
}
