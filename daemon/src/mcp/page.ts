/** One page of a list that is at hand as a whole; `nextCursor` is there when more follows. Pure. */
export function pageOf<Item>(all: readonly Item[], { limit, cursor }: { limit: number; cursor: string | undefined }) {
  const from = Number(cursor ?? 0)
  const next = from + limit
  return { items: all.slice(from, next), nextCursor: next < all.length ? { nextCursor: String(next) } : {} }
}
