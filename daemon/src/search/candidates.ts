/** Numbers of notes in ascending order, each with what it counts: a weight for one term, or a score. */
export type Candidates = { numbers: Uint32Array; values: Float32Array; count: number }

/** Reserves room for this many notes. */
export const candidates = (room: number): Candidates => ({
  numbers: new Uint32Array(room),
  values: new Float32Array(room),
  count: 0,
})

/** Keeps those that are in the other list too, with their own values. Changes the first list. */
export function keepCommon(all: Candidates, other: Candidates): void {
  const [numbers, values, others, end] = [all.numbers, all.values, other.numbers, other.count]
  let kept = 0
  let at = 0
  for (let index = 0; index < all.count; index++) {
    const number = numbers[index]!
    while (at < end && others[at]! < number) at++
    if (at === end) break
    if (others[at] !== number) continue
    numbers[kept] = number
    values[kept++] = values[index]!
  }
  all.count = kept
}

// So many times as long is a list in which jumping is faster than going through it.
const JUMPS = 16

/**
 * The values that some numbers have in another list, which holds all of them. Most searches have many of both: they are
 * then gone through without a call for each, since V8 does not optimize until a daemon has worked.
 */
export function valuesIn(other: Candidates, { numbers, count }: Candidates): Float32Array {
  const [others, its] = [other.numbers, other.values]
  const values = new Float32Array(count)
  const jumps = count * JUMPS < other.count
  let at = 0
  for (let index = 0; index < count; index++) {
    const number = numbers[index]!
    if (jumps) at = firstFrom(other, at, number)
    else while (others[at]! < number) at++
    values[index] = its[at]!
  }
  return values
}

/** The index of the first one from an index on that is no lower than a number. */
function firstFrom({ numbers, count }: Candidates, from: number, number: number): number {
  let low = from
  let high = from
  for (let step = 1; high < count && numbers[high]! < number; step *= 2) {
    low = high + 1
    high += step
  }
  high = Math.min(high, count)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numbers[middle]! < number) low = middle + 1
    else high = middle
  }
  return low
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
