/** What one organization may take of the relay, all replicas together, so that others keep their share. */
export type OrgLimitSettings = {
  /** Requests and WebSockets at a time. */
  concurrent: number
  /** Bytes in both directions together that flow in for ever. */
  bytesPerSecond: number
  /** Bytes that may be taken at once after a quiet time. */
  burstBytes: number
  /** Bytes that one side has sent and the other has not taken. */
  queuedBytes: number
}
export type ByteSettings = Omit<OrgLimitSettings, 'concurrent'>

/** What the replicas together know of a use: what the others have queued, and the bucket that all fill. */
export type UseElsewhere = { queued: number; spent: number }

/** Which limit is exceeded; with the seconds after which it will not be, where that can be told. */
export type Excess = { limit: 'concurrent' | 'bytes' | 'queued_bytes'; retryAfterSeconds: number }

/** What one replica says of its use. `last`: it is too little to matter, and nothing more is said until it is not. */
export type UseReport = { queued: number; bytes: number; last: boolean }

/** What the others said is believed this long. */
const FRESH_MS = 6_000
/** Use of less than this part of an even share is told to nobody: all of it together changes little. */
const SMALL_PART = 1 / 8

type View = UseElsewhere & { readAt: number }

/**
 * The bytes of an organization, or of one person in it, at this replica, judged by the rule that `createOrgLimits`
 * explains. Time, the number of replicas and the bytes that are queued here come with each call.
 */
export class ByteUse {
  readonly #settings: ByteSettings
  /** Bytes that the other replicas have not heard of. */
  #fresh = 0
  #drainedAt: number
  #view: View | undefined

  constructor(settings: ByteSettings, now: number) {
    this.#settings = settings
    this.#drainedAt = now
  }

  add(bytes: number): void {
    this.#fresh += bytes
  }

  /** Bytes that may be taken before the bucket is full, as far as this replica knows. */
  room(now: number, replicas: number): number {
    this.#drain(now, replicas)
    return Math.max(0, this.#settings.burstBytes - this.#spent(now))
  }

  /** What speaks against one more request now. */
  excess(now: number, replicas: number, queued: number): Excess | undefined {
    const { bytesPerSecond, burstBytes, queuedBytes } = this.#settings
    this.#drain(now, replicas)
    const share = this.#share(replicas)
    const tooMuch = this.#spent(now) - burstBytes * share
    if (tooMuch > 0) {
      const seconds = Math.ceil(tooMuch / (bytesPerSecond * share))
      return { limit: 'bytes', retryAfterSeconds: Math.max(1, seconds) }
    }
    const queuedByAll = queued + (this.#view?.queued ?? 0)
    return queuedByAll > queuedBytes * share ? { limit: 'queued_bytes', retryAfterSeconds: 1 } : undefined
  }

  /** True while the others should know of it, or said something that matters here. */
  isNews(now: number, replicas: number, queued: number): boolean {
    this.#drain(now, replicas)
    return this.#view !== undefined || !this.#isSmall({ queued, spent: this.#fresh }, replicas)
  }

  /** What to tell the others. `learn` or `takeBack` has to follow. */
  report(now: number, replicas: number, queued: number): UseReport {
    const own = { queued, spent: this.#spent(now) }
    const last = this.#isSmall(own, replicas) && this.#view !== undefined && this.#isSmall(this.#view, replicas)
    const bytes = this.#fresh
    this.#fresh = 0
    return last ? { queued: 0, bytes, last } : { queued, bytes, last }
  }

  /** Takes over what the others answered to a report. */
  learn({ last }: UseReport, { queued, spent }: UseElsewhere, now: number): void {
    this.#view = last ? undefined : { queued, spent, readAt: now }
  }

  /** A report has reached nobody. */
  takeBack({ bytes }: UseReport): void {
    this.#fresh += bytes
  }

  /** True when there is nothing left to remember. */
  isIdle(now: number, replicas: number): boolean {
    this.#drain(now, replicas)
    return this.#view === undefined && this.#fresh === 0
  }

  #share(replicas: number): number {
    return this.#view === undefined ? 1 / replicas : 1
  }

  #spent(now: number): number {
    if (this.#view === undefined) return this.#fresh
    const seconds = (now - this.#view.readAt) / 1000
    return Math.max(0, this.#view.spent - seconds * this.#settings.bytesPerSecond) + this.#fresh
  }

  #isSmall({ queued, spent }: UseElsewhere, replicas: number): boolean {
    const { queuedBytes, burstBytes } = this.#settings
    const part = SMALL_PART / replicas
    return queued <= queuedBytes * part && spent <= burstBytes * part
  }

  /** Forgets what the others said too long ago, and lets the bytes drain that they do not know of. */
  #drain(now: number, replicas: number): void {
    if (this.#view !== undefined && now - this.#view.readAt > FRESH_MS) this.#view = undefined
    else if (this.#view === undefined) {
      const drained = ((now - this.#drainedAt) / 1000) * (this.#settings.bytesPerSecond / replicas)
      this.#fresh = Math.max(0, this.#fresh - drained)
    }
    this.#drainedAt = now
  }
}
