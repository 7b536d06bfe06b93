/** Numbers of notes in ascending order, each with what it counts: a weight for one term, or a score. */
export type Candidates = { numbers: Uint32Array; values: Float32Array; count: number }

/** Reserves room for this many notes. */
export const candidates = (room: number): Candidates => ({
  numbers: new Uint32Array(room),
  values: new Float32Array(room),
  count: 0,
})

// So many times as long is a list in which jumping is faster than going through it.
const JUMPS = 16

/** Keeps those that are in the other list too, with their own values. Changes the first list. */
export function keepCommon(all: Candidates, other: Candidates): void {
  if (all.count * JUMPS < other.count) keepFound(all, other)
  else keepMarked(all, other)
}

/** For few in a much longer list. */
function keepFound(all: Candidates, other: Candidates): void {
  const { numbers, values } = all
  let kept = 0
  let at = 0
  for (let index = 0; index < all.count; index++) {
    const number = numbers[index]!
    at = firstFrom(other, at, number)
    if (at === other.count) break
    if (other.numbers[at] !== number) continue
    numbers[kept] = number
    values[kept++] = values[index]!
  }
  all.count = kept
}

/** Without a branch that depends on a note: in two long lists the processor would guess every other one wrong. */
function keepMarked(all: Candidates, other: Candidates): void {
  const [numbers, values, count] = [all.numbers, all.values, all.count]
  const [others, end] = [other.numbers, other.count]
  const marks = new Uint8Array(1 + Math.max(lastOf(all), lastOf(other)))
  for (let at = 0; at < end; at++) marks[others[at]!] = 1
  let kept = 0
  for (let index = 0; index < count; index++) {
    const number = numbers[index]!
    numbers[kept] = number
    values[kept] = values[index]!
    kept += marks[number]!
  }
  all.count = kept
}

/** The highest number, or 0 when there is none. */
const lastOf = ({ numbers, count }: Candidates): number => numbers[count - 1] ?? 0

/** The values that some numbers have in another list, which holds all of them. */
export function valuesIn(other: Candidates, { numbers, count }: Candidates): Float32Array {
  const [others, its, end] = [other.numbers, other.values, other.count]
  const values = new Float32Array(count)
  if (count * JUMPS < end) {
    let at = 0
    for (let index = 0; index < count; index++) {
      at = firstFrom(other, at, numbers[index]!)
      values[index] = its[at]!
    }
    return values
  }
  const byNumber = new Float32Array(1 + lastOf(other))
  for (let at = 0; at < end; at++) byNumber[others[at]!] = its[at]!
  for (let index = 0; index < count; index++) values[index] = byNumber[numbers[index]!]!
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
