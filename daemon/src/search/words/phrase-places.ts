/** Words or places between two pauses: well under a millisecond. */
export const STRIDE = 8192

/** Work in slices: between two of them others may run. Returns its result at the end. */
export type Sliced<T> = Generator<void, T>

/** Keeps those starts of a phrase that agree with a place of one more word. Starts and places are ascending. */
export function* narrowStarts(
  starts: readonly number[],
  { places, offset }: { places: readonly number[]; offset: number },
): Sliced<number[]> {
  const kept: number[] = []
  let [index, at] = [0, 0]
  for (let work = 1; index < starts.length && at < places.length; work++) {
    const difference = starts[index]! - (places[at]! - offset)
    if (difference === 0) kept.push(starts[index]!)
    if (difference <= 0) index++
    if (difference >= 0) at++
    if (work % STRIDE === 0) yield
  }
  return kept
}

/** True when a place of one of the words agrees with one of the starts. */
export function* meetsStart(
  starts: readonly number[],
  { words, offset }: { words: Iterable<readonly number[]>; offset: number },
): Sliced<boolean> {
  let work = 0
  const wanted = new Set<number>()
  for (const start of starts) {
    wanted.add(start + offset)
    if (++work % STRIDE === 0) yield
  }
  for (const places of words) {
    if (++work % STRIDE === 0) yield
    for (const place of places) {
      if (wanted.has(place)) return true
      if (++work % STRIDE === 0) yield
    }
  }
  return false
}
