/** A pause that ends at the earliest of the times that were requested for its end. */
export class Rest {
  readonly #end = Promise.withResolvers<void>()
  readonly over = this.#end.promise
  #endsAt = Infinity
  #timer: NodeJS.Timeout | undefined

  /** Ends the pause after this many milliseconds, unless it ends sooner; 0 ends it now. */
  endIn(ms: number): void {
    const endsAt = performance.now() + ms
    if (endsAt >= this.#endsAt) return
    this.#endsAt = endsAt
    clearTimeout(this.#timer)
    if (ms > 0) this.#timer = setTimeout(this.#end.resolve, ms)
    else this.#end.resolve()
  }
}
