const K = 1.2
const B = 0.75

/** The statistics of a whole index, for scoring. */
export type Corpus = { notes: number; averageLength: number }

/** The weight of a term, given the number of notes that contain it. */
export const rarity = (corpus: Corpus, holding: number): number =>
  Math.log(1 + (Math.max(0, corpus.notes - holding) + 0.5) / (holding + 0.5))

/** BM25 of one term in one note; the weight counts occurrences, those in title and path several times. */
export const termScore = (corpus: Corpus, weight: number, length: number): number =>
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
