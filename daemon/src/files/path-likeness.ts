/**
 * How much the ends of two paths are alike, to find a note again after a folder above it was renamed. Counts the equal
 * segments from the ends; among as many, shorter paths are more alike: then fewer segments differ. 0 if no segment is equal.
 */
export function pathLikeness(one: string, other: string): number {
  const shared = sharedEnd(one, other)
  return shared === 0 ? 0 : shared + 1 / (1 + one.length + other.length)
}

/** Compares from the end, as most paths differ near it: notes of one content may be many. */
function sharedEnd(one: string, other: string): number {
  let segments = 0
  for (let back = 1; ; back++) {
    const [left, right] = [one[one.length - back] ?? '/', other[other.length - back] ?? '/']
    if (left !== right) return segments
    if (left !== '/') continue
    segments++
    if (back > one.length || back > other.length) return segments
  }
}

/** The first of those that are most alike; undefined if none is. */
export function mostLike<T>(all: Iterable<T>, likeness: (one: T) => number): T | undefined {
  let best: { one: T; is: number } | undefined
  for (const one of all) {
    const is = likeness(one)
    if (is > (best?.is ?? 0)) best = { one, is }
  }
  return best?.one
}
