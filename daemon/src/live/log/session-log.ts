import type { LogRecord } from './log-record.ts'
import type { Receipts } from './receipts.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

type OfThisSession<Kind extends LogRecord['kind']> = Omit<Extract<LogRecord, { kind: Kind }>, 'epoch'>

/** A change that is being logged. `before` is the receipt of its client without it, if a client made it. */
type Pending = { client: string; before: number | undefined }

/** Without a record, the change is so large that the log is rewritten with the text after it. */
type Records = { first(): LogRecord; record: LogRecord | undefined; waitMs: number }

// So long, somebody may wait until no change is on its way to the log before new changes of clients wait instead.
const PATIENCE_MS = 100

type Deps = {
  epoch: string
  log: WriteAheadLog
  receipts: Receipts
  /** The log has the text of the session already: an earlier process wrote it. */
  isBegun: boolean
}

/** The records of one live session in the write-ahead log, and the changes that are on their way there. */
export class SessionLog {
  readonly #deps: Omit<Deps, 'isBegun'>
  #pending: Pending[] = []
  /** The log has the text of this session; later records build on it. */
  #isBegun: boolean
  #held: PromiseWithResolvers<void> | undefined

  constructor({ isBegun, ...deps }: Deps) {
    this.#deps = deps
    this.#isBegun = isBegun
  }

  get hasPending(): boolean {
    return this.#pending.length > 0
  }

  get isBegun(): boolean {
    return this.#isBegun
  }

  /** What new changes of clients wait for; undefined if they need not wait. */
  get held(): Promise<void> | undefined {
    return this.#held?.promise
  }

  /**
   * Resolves when no change is on its way to the log. Where many people type, or the disk is slow, some change always
   * is: after a while, new ones are held until then.
   */
  async runDry(): Promise<void> {
    const since = performance.now()
    while (this.hasPending) {
      if (performance.now() - since > PATIENCE_MS) this.#held ??= Promise.withResolvers()
      await this.#deps.log.attempted()
    }
    // Not before those who have waited have taken their turn.
    setImmediate(() => this.#release())
  }

  #release(): void {
    const held = this.#held
    this.#held = undefined
    held?.resolve()
  }

  /**
   * Writes a change; `first` returns the record that the session begins with. Resolves when the change is durable; the
   * caller then calls `confirm` in the same turn in which it sends the change to others. `waitMs`: how long it may wait
   * for other changes.
   */
  commit(change: Pending, { first, record, waitMs }: Records): Promise<void> {
    this.#pending.push(change)
    if (record === undefined) return this.#deps.log.renew()
    if (!this.#isBegun) {
      this.#isBegun = true
      this.#append(first())
    }
    return this.#deps.log.append(record, waitMs)
  }

  /** The oldest pending change is durable. */
  confirm(): void {
    this.#pending.shift()
  }

  /** The text of a version is about to be written to the file. Resolves when that is durable. */
  saving(save: { version: number; baseline: string }): Promise<void> {
    return this.#deps.log.append({ kind: 'saving', epoch: this.#deps.epoch, ...save })
  }

  saved(save: { version: number; baseline: string }): void {
    this.#deps.log.note({ kind: 'saved', epoch: this.#deps.epoch, ...save })
  }

  /** Somebody else changed the file, and the text has that change. */
  fileChanged(file: OfThisSession<'file'>): void {
    if (this.#isBegun) this.#append({ ...file, epoch: this.#deps.epoch })
  }

  note(record: OfThisSession<'moved'> | OfThisSession<'ended'>): void {
    if (this.#isBegun) this.#deps.log.note({ ...record, epoch: this.#deps.epoch })
  }

  /** The log is about to be rewritten, with this session or without it. */
  rewrite(isIncluded: () => boolean): boolean {
    this.#isBegun = isIncluded()
    return this.#isBegun
  }

  /** The file has the whole text: the session may begin again in the log with its next change. */
  end(): void {
    this.#isBegun = false
  }

  /** The log failed: reverts the receipts of all pending changes. Their senders send them again. */
  rollBack(): void {
    for (const { client, before } of this.#pending.toReversed())
      if (before !== undefined) this.#deps.receipts.set(client, before)
    this.#pending = []
  }

  /** A failed write rolls every session back through the log's `onFailure`, so nothing is left to do with it here. */
  #append(record: LogRecord): void {
    this.#deps.log.append(record).catch(() => {})
  }
}
