/** Numbers of notes in ascending order, each with what it counts: a weight for one term, or a score. */
export type Candidates = { numbers: Uint32Array; values: Float32Array; count: number }

/** Reserves room for this many notes. */
export const candidates = (room: number): Candidates => ({
  numbers: new Uint32Array(room),
  values: new Float32Array(room),
  count: 0,
})

/** Keeps those that are in the other list too; `combine` gives the new value from both. Changes the first list. */
export function keepCommon(
  all: Candidates,
  other: Candidates,
  combine: (value: number, otherValue: number, number: number) => number,
): void {
  let kept = 0
  let at = 0
  for (let index = 0; index < all.count; index++) {
    const number = all.numbers[index]!
    while (at < other.count && other.numbers[at]! < number) at++
    if (at === other.count) break
    if (other.numbers[at] !== number) continue
    all.numbers[kept] = number
    all.values[kept] = combine(all.values[index]!, other.values[at]!, number)
    kept++
  }
  all.count = kept
}

/** Removes those that are in the other list. Changes the first list. */
export function removeCommon(all: Candidates, other: Candidates): void {
  let kept = 0
  let at = 0
  for (let index = 0; index < all.count; index++) {
    const number = all.numbers[index]!
    while (at < other.count && other.numbers[at]! < number) at++
    if (other.numbers[at] === number && at < other.count) continue
    all.numbers[kept] = number
    all.values[kept] = all.values[index]!
    kept++
  }
  all.count = kept
}

/** Keeps those for which a test holds. Changes the list. */
export function keepWhere(all: Candidates, test: (index: number) => boolean): void {
  let kept = 0
  for (let index = 0; index < all.count; index++) {
    if (!test(index)) continue
    all.numbers[kept] = all.numbers[index]!
    all.values[kept] = all.values[index]!
    kept++
  }
  all.count = kept
}

/** A copy that can be changed. */
export const copyOf = ({ numbers, values, count }: Candidates): Candidates => ({
  numbers: numbers.slice(0, count),
  values: values.slice(0, count),
  count,
})
