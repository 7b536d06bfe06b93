import { candidates, type Candidates } from './candidates.ts'
import { WorkMemory } from './work-memory.ts'

/** Keeps the notes with the best scores; of equal scores those with the lowest numbers. Creates no object per note. */
export class BestNotes {
  readonly #limit: number
  readonly #numbers: Uint32Array
  // Scores are compared in their stored precision: equal when stored means equal.
  readonly #scores: Float32Array
  #count = 0

  /** A note with a lower score is not one of the best. */
  least: number

  constructor(limit: number) {
    this.#limit = limit
    this.#numbers = new Uint32Array(limit)
    this.#scores = new Float32Array(limit)
    this.least = limit > 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }

  offer(number: number, score: number): void {
    const kept = Math.fround(score)
    if (this.#count < this.#limit) this.#rise(this.#count++, number, kept)
    else if (this.#isWorse(0, number, kept)) this.#sink(number, kept)
    if (this.#count === this.#limit && this.#limit > 0) this.least = this.#scores[0]!
  }

  /** The notes in order, the best one first. */
  sorted(): Candidates {
    const [numbers, scores] = [this.#numbers, this.#scores]
    const order = Uint32Array.from({ length: this.#count }, (_, index) => index)
    order.sort((a, b) => scores[b]! - scores[a]! || numbers[a]! - numbers[b]!)
    // Results outlive the memory of their search, so they get memory of their own.
    const best = candidates(this.#count, new WorkMemory())
    for (const from of order) {
      best.numbers[best.count] = numbers[from]!
      best.values[best.count++] = scores[from]!
    }
    return best
  }

  /** True when the note kept at a place of the heap is worse than this one. The root, place 0, is the worst of all. */
  #isWorse(place: number, number: number, score: number): boolean {
    const its = this.#scores[place]!
    return its < score || (its === score && this.#numbers[place]! > number)
  }

  #rise(from: number, number: number, score: number): void {
    let at = from
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (this.#isWorse(parent, number, score)) break
      this.#move(parent, at)
      at = parent
    }
    this.#numbers[at] = number
    this.#scores[at] = score
  }

  #sink(number: number, score: number): void {
    let at = 0
    for (;;) {
      let worst = at * 2 + 1
      if (worst >= this.#count) break
      const right = worst + 1
      if (right < this.#count && this.#isWorse(right, this.#numbers[worst]!, this.#scores[worst]!)) worst = right
      if (!this.#isWorse(worst, number, score)) break
      this.#move(worst, at)
      at = worst
    }
    this.#numbers[at] = number
    this.#scores[at] = score
  }

  #move(from: number, to: number): void {
    this.#numbers[to] = this.#numbers[from]!
    this.#scores[to] = this.#scores[from]!
  }
}
