const K = 1.2
const B = 0.75

/** What a whole index knows of its notes, for scoring. */
export type Corpus = { notes: number; averageLength: number }

/** The weight of a term, given the number of notes that hold it. */
export const rarity = (corpus: Corpus, holding: number): number =>
  Math.log(1 + (Math.max(0, corpus.notes - holding) + 0.5) / (holding + 0.5))

/** BM25 of one term in one note; the weight counts occurrences, those in title and path several times. */
export const termScore = (corpus: Corpus, { weight, length }: { weight: number; length: number }): number =>
  (weight * (K + 1)) / (weight + K * (1 - B + (B * length) / corpus.averageLength))

/** A longer word that begins with the last word of a query counts half as much as the word itself. */
export const PREFIX_SHARE = 0.5

/** One result: an index into a list, and its score. */
export type Ranked = { score: number; order: number }

/**
 * The best of a list in order, at most `limit`: by score, then by `order`. Sorts only the results that are returned.
 */
export function best<Item extends Ranked>(items: Iterable<Item>, limit: number): Item[] {
  const heap: Item[] = []
  for (const item of items) {
    if (heap.length < limit) {
      heap.push(item)
      siftUp(heap)
    } else if (limit > 0 && compare(item, heap[0]!) < 0) {
      heap[0] = item
      siftDown(heap)
    }
  }
  return heap.sort(compare)
}

/**
 * The indexes of the best scores in order, at most `limit`; of equal scores the earlier ones. Makes no object per score:
 * a common word is in most notes.
 */
export function bestIndexes(scores: Float32Array, limit: number): number[] {
  const heap = Uint32Array.from({ length: Math.min(limit, scores.length) }, (_, index) => index)
  if (heap.length === 0) return []
  for (let at = heap.length >>> 1; at-- > 0;) sinkIndex(heap, scores, at)
  for (let index = heap.length; index < scores.length; index++) {
    if (scores[index]! <= scores[heap[0]!]!) continue
    heap[0] = index
    sinkIndex(heap, scores, 0)
  }
  return Array.from(heap).sort((a, b) => scores[b]! - scores[a]! || a - b)
}

/** The root of the heap is the worst score kept, and of equal ones the last. */
function sinkIndex(heap: Uint32Array, scores: Float32Array, from: number): void {
  const moving = heap[from]!
  let at = from
  for (;;) {
    let worst = at * 2 + 1
    if (worst >= heap.length) break
    if (worst + 1 < heap.length && isWorse(scores, heap[worst + 1]!, heap[worst]!)) worst++
    if (!isWorse(scores, heap[worst]!, moving)) break
    heap[at] = heap[worst]!
    at = worst
  }
  heap[at] = moving
}

const isWorse = (scores: Float32Array, a: number, b: number): boolean =>
  scores[a]! < scores[b]! || (scores[a] === scores[b] && a > b)

const compare = (a: Ranked, b: Ranked): number => b.score - a.score || a.order - b.order

/** The root of the heap is the worst result kept. */
function siftUp(heap: Ranked[]): void {
  let at = heap.length - 1
  while (at > 0) {
    const parent = (at - 1) >>> 1
    if (compare(heap[at]!, heap[parent]!) <= 0) return
    swap(heap, at, parent)
    at = parent
  }
}

function siftDown(heap: Ranked[]): void {
  let at = 0
  for (;;) {
    const left = at * 2 + 1
    const right = left + 1
    let worst = at
    if (left < heap.length && compare(heap[left]!, heap[worst]!) > 0) worst = left
    if (right < heap.length && compare(heap[right]!, heap[worst]!) > 0) worst = right
    if (worst === at) return
    swap(heap, at, worst)
    at = worst
  }
}

function swap(heap: Ranked[], a: number, b: number): void {
  const kept = heap[a]!
  heap[a] = heap[b]!
  heap[b] = kept
}
