import type { Pause } from './slices.ts'

type Compare<Item> = (a: Item, b: Item) => number

// This many items are sorted at once, or merged between two pauses.
const RUN = 64

/** Sorts as `toSorted` does, in slices: short runs are sorted and then merged, two by two. */
export async function sortInSlices<Item>(
  items: readonly Item[],
  compare: Compare<Item>,
  pause: Pause,
): Promise<Item[]> {
  let runs: Item[][] = []
  for (let at = 0; at < items.length; at += RUN) {
    runs.push(items.slice(at, at + RUN).sort(compare))
    await pause()
  }
  while (runs.length > 1) {
    const merged: Item[][] = []
    for (let at = 0; at < runs.length; at += 2) merged.push(await merge(runs[at]!, runs[at + 1] ?? [], compare, pause))
    runs = merged
  }
  return runs[0] ?? []
}

/** The default order of `sort` for strings. */
export const byCode: Compare<string> = (a, b) => (a < b ? -1 : a > b ? 1 : 0)

/** Stable: of two equal items, the one of the first run comes first. */
async function merge<Item>(first: Item[], second: Item[], compare: Compare<Item>, pause: Pause): Promise<Item[]> {
  const merged: Item[] = []
  let [a, b] = [0, 0]
  while (a < first.length || b < second.length) {
    const isFirst = b === second.length || (a < first.length && compare(first[a]!, second[b]!) <= 0)
    merged.push(isFirst ? first[a++]! : second[b++]!)
    if (merged.length % RUN === 0) await pause()
  }
  return merged
}
