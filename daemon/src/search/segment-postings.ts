import { candidates, keepWhere, type Candidates } from './candidates.ts'
import { PREFIX_SHARE } from './ranking.ts'
import type { SearchBudget } from './search-budget.ts'
import type { TermEntry } from './segment/dictionary-terms.ts'
import type { Segment } from './segment/segment.ts'
import { decodePostings } from './spans/decode-postings.ts'
import { WeightSums } from './spans/weight-sums.ts'
import type { WorkMemory } from './work-memory.ts'

/** A segment from the view of one search: without the notes that have changed since it was built. */
export type SegmentView = {
  segment: Segment
  /** 1 by the number of a note that has changed; empty when none has. */
  hidden: Uint8Array
  budget: SearchBudget
  /** For arrays that are not used after the search. */
  memory: WorkMemory
  /** Waits until the search may use this many bytes. Call it once, before anything large is read. */
  reserve(bytes: number): Promise<void>
}

// The number of postings to decode between two checks of the clock: well under a millisecond.
const STRIDE = 8192

/**
 * The notes with one of the terms, including hidden ones, each with the weight of all occurrences; occurrences of
 * longer words count less.
 */
export async function notesWith(view: SegmentView, entries: readonly TermEntry[]): Promise<Candidates> {
  const bytes = await view.segment.read('postings', entries, view.memory)
  const [first] = entries
  if (!first) return candidates(0, view.memory)
  return entries.length === 1 ? notesOfOne(view, first, bytes) : notesOfMany(view, entries, bytes)
}

/** The number of notes that are not hidden. */
export function countShown({ hidden }: SegmentView, { numbers, count }: Candidates): number {
  let shown = count
  if (hidden.length > 0) for (let index = 0; index < count; index++) shown -= hidden[numbers[index]!]!
  return shown
}

/** Removes hidden notes. */
export function keepShown({ hidden }: SegmentView, found: Candidates): void {
  if (hidden.length > 0) keepWhere(found, (index) => hidden[found.numbers[index]!] !== 1)
}

async function notesOfOne(view: SegmentView, entry: TermEntry, bytes: Uint8Array): Promise<Candidates> {
  const { budget, memory } = view
  const found = candidates(entry.notes, memory)
  const { numbers, values: weights } = found
  let at = 0
  while (found.count < entry.notes) {
    const [from, before] = [found.count, numbers[found.count - 1] ?? -1]
    const count = Math.min(STRIDE, entry.notes - from)
    at = decodePostings(bytes, { at, before, count }, { numbers, weights, from })
    found.count += count
    await budget.pause()
  }
  if (!entry.whole) for (let index = 0; index < found.count; index++) weights[index]! *= PREFIX_SHARE
  return found
}

async function notesOfMany(view: SegmentView, entries: readonly TermEntry[], bytes: Uint8Array): Promise<Candidates> {
  const { segment, budget, memory } = view
  // The sums are whole multiples of the smallest share that a word can have.
  const sums = new WeightSums(bytes, memory.integers(segment.files).fill(0))
  let work = 0
  let all = 0
  for (const { notes, whole } of entries) {
    sums.nextTerm()
    all += notes
    for (let left = notes; left > 0;) {
      const stride = Math.min(left, STRIDE)
      sums.add(stride, whole ? 1 / PREFIX_SHARE : 1)
      left -= stride
      // An entry is work even without postings: many longer words occur in one note each.
      work += stride + 1
      if (work < STRIDE) continue
      work = 0
      await budget.pause()
    }
  }

  const found = candidates(Math.min(all, segment.files) + 1, memory)
  found.count = collect(sums.byNote, found)
  return found
}

/** Writes the notes that have a sum to a list with room for one more; returns their number. */
function collect(byNote: Uint32Array, { numbers, values }: Candidates): number {
  let count = 0
  for (let number = 0; number < byNote.length; number++) {
    const sum = byNote[number]!
    numbers[count] = number
    values[count] = sum * PREFIX_SHARE
    // 1 for a sum, 0 for none, without a branch that the processor would mispredict.
    count += (0 - sum) >>> 31
  }
  return count
}
