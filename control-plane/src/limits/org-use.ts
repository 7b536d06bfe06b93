import { fail } from '@svc/shared/wire/errors.ts'

/** What one organization may use of the relay on all replicas together, so that others keep their share. */
export type OrgLimitSettings = {
  /** Concurrent requests and WebSockets. */
  concurrent: number
  /** Sustained rate of bytes, both directions together. */
  bytesPerSecond: number
  /** Burst of bytes after a quiet time. */
  burstBytes: number
  /** Bytes that one side has sent and the other has not read. */
  queuedBytes: number
  /** The part of the burst that one person or agent may use alone; 1 is all of it. */
  personPart: number
}
export const defaultOrgLimits: OrgLimitSettings = {
  concurrent: 512,
  bytesPerSecond: 64 * 1024 * 1024,
  burstBytes: 2 * 1024 * 1024 * 1024,
  queuedBytes: 64 * 1024 * 1024,
  personPart: 1 / 2,
}

export type ByteSettings = Pick<OrgLimitSettings, 'bytesPerSecond' | 'burstBytes' | 'queuedBytes'>

/** What the other replicas add to this one's view: the bytes queued by them, and the shared bucket. */
export type UseElsewhere = { queued: number; spent: number }

/** The exceeded limit, with the seconds until it is no longer exceeded, if known. */
export type Excess = { limit: 'concurrent' | 'bytes' | 'queued_bytes'; retryAfterSeconds: number }

/** The report of one replica. `last`: the use is too small to matter, and no more reports follow until it grows. */
export type UseReport = { queued: number; bytes: number; last: boolean }

/** How long reports of other replicas are valid. */
const FRESH_MS = 6_000
/** Use of less than this part of an even share is not reported: all of it together changes little. */
const SMALL_PART = 1 / 8

/** The failure of a request that would exceed the limit. */
export function refusal({ limit, retryAfterSeconds }: Excess, of: 'organization' | 'person') {
  const code = limit === 'queued_bytes' ? 'relay_overloaded' : 'too_many_requests'
  return fail(code, { limit, of }, { retryAfterSeconds })
}

type View = UseElsewhere & { readAt: number }

/**
 * The bytes of an organization, or of one person in it, at this replica, under the rule that `createOrgLimits`
 * explains. Time, the number of replicas and the bytes queued here come with each call.
 */
export class ByteUse {
  #settings: ByteSettings
  /** Bytes not reported to the other replicas yet. */
  #fresh = 0
  #drainedAt: number
  #view: View | undefined

  constructor(settings: ByteSettings, now: number) {
    this.#settings = settings
    this.#drainedAt = now
  }

  /** Applies other limits; what was used stays used. */
  adopt(settings: ByteSettings): void {
    this.#settings = settings
  }

  add(bytes: number): void {
    this.#fresh += bytes
  }

  /** Bytes until the bucket is full, as far as this replica knows. */
  room(now: number, replicas: number): number {
    this.#drain(now, replicas)
    return Math.max(0, this.#settings.burstBytes - this.#spent(now))
  }

  /** The reason to refuse one more request now. */
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

  /** True while other replicas should know of the use here, or reported something that matters here. */
  isNews(now: number, replicas: number, queued: number): boolean {
    this.#drain(now, replicas)
    return this.#view !== undefined || !this.#isSmall({ queued, spent: this.#fresh }, replicas)
  }

  /** The report for the others. `learn` or `takeBack` must follow. */
  report(now: number, replicas: number, queued: number): UseReport {
    const own = { queued, spent: this.#spent(now) }
    const last = this.#isSmall(own, replicas) && this.#view !== undefined && this.#isSmall(this.#view, replicas)
    const bytes = this.#fresh
    this.#fresh = 0
    return last ? { queued: 0, bytes, last } : { queued, bytes, last }
  }

  /** Applies what the others responded to a report. */
  learn({ last }: UseReport, { queued, spent }: UseElsewhere, now: number): void {
    this.#view = last ? undefined : { queued, spent, readAt: now }
  }

  /** Takes back a report that reached no replica, so that the next one includes its bytes. */
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

  /** Forgets expired reports of the others, and drains the bytes that they do not know of. */
  #drain(now: number, replicas: number): void {
    if (this.#view !== undefined && now - this.#view.readAt > FRESH_MS) this.#view = undefined
    else if (this.#view === undefined) {
      const drained = ((now - this.#drainedAt) / 1000) * (this.#settings.bytesPerSecond / replicas)
      this.#fresh = Math.max(0, this.#fresh - drained)
    }
    this.#drainedAt = now
  }
}
