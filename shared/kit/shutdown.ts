import { onEndSignals } from './end-signals.ts'
import { within } from './within.ts'
import type { Log } from './log.ts'

/** A part that takes longer is abandoned, so that the others still close. */
const PATIENCE_MS = 60_000

type Closer = { name: string; close: () => Promise<void> | void }

/** Runs a process's closers in reverse order of their registration; a failing or slow one does not stop the others. */
export class Shutdown {
  readonly #closers: Closer[] = []
  #log: Log | undefined
  #closing: Promise<void> | undefined

  /** Without a log, nothing is logged until `logTo`: a process may load its log after parts that have to be closed. */
  constructor(log?: Log) {
    this.#log = log
  }

  logTo(log: Log): void {
    this.#log = log
  }

  add(name: string, close: Closer['close']): void {
    this.#closers.push({ name, close })
  }

  /** Closes everything once; later calls wait for the first. */
  close(): Promise<void> {
    this.#closing ??= this.#run()
    return this.#closing
  }

  async #run(): Promise<void> {
    for (const { name, close } of this.#closers.reverse()) {
      try {
        this.#log?.debug({ part: name }, 'stopping a part')
        await within(Promise.resolve(close()), { ms: PATIENCE_MS, late })
      } catch (error) {
        this.#log?.error({ err: error, part: name }, 'a part did not stop cleanly')
      }
    }
  }

  /** Closes on a signal to end, then exits; the same signal a second time exits at once. */
  onSignals(): void {
    onEndSignals((signal) => {
      this.#log?.info({ signal }, 'stopping')
      void this.close().then(() => process.exit(0))
    })
  }
}

const late = () => new Error(`not closed after ${PATIENCE_MS / 1000} s`)
