import type { WorkMemory } from './work-memory.ts'

/** Note numbers in ascending order, each with a value: the weight of one term, or a score. */
export type Candidates = { numbers: Uint32Array; values: Float32Array; count: number }

/** Reserves room for this many notes; numbers and values are undefined. */
export const candidates = (room: number, memory: WorkMemory): Candidates => ({
  numbers: memory.integers(room),
  values: memory.floats(room),
  count: 0,
})

// In a list this many times as long, binary search is faster than a linear pass.
const JUMPS = 16

/** Keeps the notes that are in the other list too, with their own values. Changes the first list. */
export function keepCommon(all: Candidates, other: Candidates, memory: WorkMemory): void {
  if (all.count * JUMPS < other.count) return keepFound(all, other)
  const marks = memory.bytes(1 + Math.max(lastOf(all), lastOf(other))).fill(0)
  mark(other, marks)
  all.count = keepMarked(all, marks)
}

/** For a short list and a much longer one. */
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

// Each long loop is in its own function, which ends with the loop. When V8 optimizes a function during its first loop,
// the code after that loop has not run yet, so V8 discards the optimized code there, on every call.

/** Sets the mark of each note in a list to 1, by number. */
function mark({ numbers, count }: Candidates, marks: Uint8Array): void {
  for (let index = 0; index < count; index++) marks[numbers[index]!] = 1
}

/**
 * Moves the marked notes to the front; returns their number. It has no branch that depends on a note: in two long lists
 * the processor would mispredict every other one.
 */
function keepMarked({ numbers, values, count }: Candidates, marks: Uint8Array): number {
  let kept = 0
  for (let index = 0; index < count; index++) {
    const number = numbers[index]!
    numbers[kept] = number
    values[kept] = values[index]!
    kept += marks[number]!
  }
  return kept
}

/** Keeps the notes that have a bit, by number. Has no branch that depends on a note either. Changes the list. */
export function keepWithBit(all: Candidates, bits: Uint8Array): void {
  const { numbers, values, count } = all
  let kept = 0
  for (let index = 0; index < count; index++) {
    const number = numbers[index]!
    numbers[kept] = number
    values[kept] = values[index]!
    kept += (bits[number >>> 3]! >>> (number & 7)) & 1
  }
  all.count = kept
}

/** The highest number, or 0 when there is none. */
const lastOf = ({ numbers, count }: Candidates): number => numbers[count - 1] ?? 0

/** Memory for `valuesIn`. Calls one after the other can use the same. */
export type ValuesRoom = { values: Float32Array; byNumber: Float32Array }

/** Room for the values of a list, and for a value of each note. */
export const valuesRoom = ({ count }: Candidates, notes: number, memory: WorkMemory): ValuesRoom => ({
  values: memory.floats(count),
  byNumber: memory.floats(notes),
})

/** The values of some notes in another list, which contains all of them. They are written to the room's `values`. */
export function valuesIn(other: Candidates, some: Candidates, { values, byNumber }: ValuesRoom): Float32Array {
  if (some.count * JUMPS < other.count) return valuesFound(other, some, values)
  orderByNumber(other, byNumber)
  return valuesAt(byNumber, some, values)
}

function valuesFound(other: Candidates, { numbers, count }: Candidates, values: Float32Array): Float32Array {
  let at = 0
  for (let index = 0; index < count; index++) {
    at = firstFrom(other, at, numbers[index]!)
    values[index] = other.values[at]!
  }
  return values
}

/** Writes the values of a list by note number. Other numbers keep their values. */
function orderByNumber({ numbers, values, count }: Candidates, byNumber: Float32Array): void {
  for (let index = 0; index < count; index++) byNumber[numbers[index]!] = values[index]!
}

function valuesAt(byNumber: Float32Array, { numbers, count }: Candidates, values: Float32Array): Float32Array {
  for (let index = 0; index < count; index++) values[index] = byNumber[numbers[index]!]!
  return values
}

/** The index of the first entry, starting at `from`, that is not lower than a number. */
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

/** Removes the notes that are in the other list. Changes the first list. */
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

/** Keeps the notes that pass a test. Changes the list. */
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

/** A copy that may be changed. */
export function copyOf({ numbers, values, count }: Candidates, memory: WorkMemory): Candidates {
  const copy = candidates(count, memory)
  copy.numbers.set(numbers.subarray(0, count))
  copy.values.set(values.subarray(0, count))
  copy.count = count
  return copy
}
