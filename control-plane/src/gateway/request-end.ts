/**
 * Tells when a response must stop: the browser is gone, or its entry session ended. Cheaper than an AbortSignal, which
 * allocates an event and an exception for each request.
 */
export class RequestEnd {
  #stop: (() => void)[] = []
  #over = false

  get over(): boolean {
    return this.#over
  }

  /** Calls `stop` at the end, or immediately if it has passed. */
  onEnd(stop: () => void): void {
    if (this.#over) stop()
    else this.#stop.push(stop)
  }

  end(): void {
    if (this.#over) return
    this.#over = true
    for (const stop of this.#stop) stop()
    this.#stop = []
  }
}
