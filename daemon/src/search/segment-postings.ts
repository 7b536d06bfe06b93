import { candidates, keepWhere, type Candidates } from './candidates.ts'
import { PREFIX_SHARE } from './ranking.ts'
import type { SearchBudget } from './search-budget.ts'
import type { Segment, TermEntry } from './segment/segment.ts'
import { decodePostings } from './spans/decode-postings.ts'

/** A segment as one search sees it: without the notes that have changed since it was built. */
export type SegmentView = {
  segment: Segment
  /** 1 by the number of a note that has changed; empty when none has. */
  hidden: Uint8Array
  budget: SearchBudget
}

// The number of postings to decode between two checks of the clock: well under a millisecond.
const STRIDE = 8192

/** The notes that hold one of the terms, each with the weight of all occurrences; those of longer words count less. */
export async function notesWith(view: SegmentView, entries: readonly TermEntry[]): Promise<Candidates> {
  const bytes = await view.segment.read('postings', entries)
  const [first] = entries
  if (!first) return candidates(0)
  return entries.length === 1 ? notesOfOne(view, first, bytes) : notesOfMany(view, entries, bytes)
}

async function notesOfOne({ hidden, budget }: SegmentView, entry: TermEntry, bytes: Uint8Array): Promise<Candidates> {
  const found = candidates(entry.notes)
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
  if (hidden.length > 0) keepWhere(found, (index) => hidden[numbers[index]!] !== 1)
  return found
}

async function notesOfMany(view: SegmentView, entries: readonly TermEntry[], bytes: Uint8Array): Promise<Candidates> {
  const { segment, hidden, budget } = view
  const weights = new Float32Array(segment.files)
  const decoded = { numbers: new Uint32Array(STRIDE), weights: new Float32Array(STRIDE), from: 0 }
  let count = 0
  let at = 0
  let work = 0
  for (const { notes, whole } of entries) {
    const share = whole ? 1 : PREFIX_SHARE
    let before = -1
    for (let left = notes; left > 0;) {
      const stride = Math.min(left, STRIDE)
      at = decodePostings(bytes, { at, before, count: stride }, decoded)
      for (let index = 0; index < stride; index++) {
        const number = decoded.numbers[index]!
        if (weights[number] === 0) count++
        weights[number]! += decoded.weights[index]! * share
      }
      before = decoded.numbers[stride - 1]!
      left -= stride
      // An entry is work by itself: many longer words stand in one note each.
      work += stride + 1
      if (work < STRIDE) continue
      work = 0
      await budget.pause()
    }
  }

  const found = candidates(count)
  for (let number = 0; number < weights.length; number++) {
    if (weights[number] === 0 || hidden[number] === 1) continue
    found.numbers[found.count] = number
    found.values[found.count++] = weights[number]!
  }
  return found
}
