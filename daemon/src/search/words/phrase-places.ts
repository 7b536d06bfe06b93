/** Narrows the possible starts of a phrase by one more of its words. */
export function commonStarts(
  starts: readonly number[] | undefined,
  places: readonly number[],
  offset: number,
): number[] {
  const own = places.map((place) => place - offset)
  if (starts === undefined) return own
  if (starts.length === 0 || own.length === 0) return []
  const wanted = new Set(starts)
  return own.filter((start) => wanted.has(start))
}
