/** One page of a list that is available as a whole; `nextCursor` is set if there are more items. Pure. */
export function pageOf<Item>(all: readonly Item[], { limit, cursor }: { limit: number; cursor: string | undefined }) {
  const from = Number(cursor ?? 0)
  const next = from + limit
  return { items: all.slice(from, next), nextCursor: next < all.length ? { nextCursor: String(next) } : {} }
}
