/**
 * The end of the right to one answer: the browser has gone, or its entry is over. An AbortSignal would do, but it makes an
 * event and an exception for each request.
 */
export class RequestEnd {
  #stop: (() => void)[] = []
  #over = false

  get over(): boolean {
    return this.#over
  }

  /** Calls `stop` at the end, or now when it has come. */
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
