/** The request of one replica to the pool: it holds `held` permits and wants `want`. A replica numbers its requests. */
export type PermitRequest = { number: number; held: number; want: number }

type Asking = { need: 'more' | 'same'; replicas: number; number: number }

/** This part of an organization's limit is divided equally among `REPLICAS_AT_MOST` replicas, as their own permits. */
const OWN_PART = 3 / 8
const REPLICAS_AT_MOST = 16
/** Permits that are borrowed ahead of need, so that few requests wait for the pool. */
const AHEAD_PART = 1 / 32

/**
 * How a limit is divided: each replica owns `own` permits permanently, the others are in a pool from which replicas
 * borrow. An only replica owns them all.
 */
export function divideLimit(limit: number, among: 'shared' | 'alone'): { own: number; pool: number } {
  if (among === 'alone') return { own: limit, pool: 0 }
  const own = Math.floor((limit * OWN_PART) / REPLICAS_AT_MOST)
  return { own, pool: limit - own * REPLICAS_AT_MOST }
}

/** With more replicas than that, no replica uses permits of its own. */
const mayOwn = (replicas: number): boolean => replicas <= REPLICAS_AT_MOST

/**
 * The permits of one organization at this replica. Nothing is opened without one. Borrowed permits are valid until
 * `validUntil`, which is before the pool takes them back. Returned permits are given up before the pool learns of it.
 * So the permits of all replicas together never exceed the limit.
 */
export class OrgPermits {
  open = 0
  #own: number
  #pool: number
  #borrowed = 0
  #validUntil = Number.NEGATIVE_INFINITY
  #freeInPool: number
  /** The highest number of borrowed permits in use since the pool was last asked. */
  #peak = 0
  /** True if the last request to the pool was for all open requests, because this replica owned no permits. */
  #asksForAll = false
  /** True if the pool has responded to such a request. Until then, requests keep the permits that this replica owned. */
  #isDisowned = false

  constructor({ own, pool }: { own: number; pool: number }) {
    this.#own = own
    this.#pool = pool
    this.#freeInPool = pool
  }

  /** Applies another limit. Open requests beyond it are in `excess`. */
  adopt({ own, pool }: { own: number; pool: number }): void {
    this.#own = own
    this.#pool = pool
    this.#borrowed = Math.min(this.#borrowed, pool)
    this.#freeInPool = Math.min(this.#freeInPool, pool)
  }

  /** Permits that can be used now. */
  spare(now: number, replicas: number): number {
    return this.#ownNow(replicas) + this.#borrowedNow(now) - this.open
  }

  /** Open requests that have lost their permit. */
  excess(now: number, replicas: number): number {
    const own = this.#isDisowned ? this.#ownNow(replicas) : this.#own
    return Math.max(0, this.open - own - this.#borrowedNow(now))
  }

  /** Free permits in the pool, as far as this replica knows. */
  free(now: number, replicas: number): number {
    return Math.max(0, this.spare(now, replicas)) + this.#freeInPool
  }

  /** Takes a permit. The caller has checked that one is free. */
  take(replicas: number): void {
    this.open += 1
    if (mayOwn(replicas)) this.#isDisowned = false
    this.#peak = Math.max(this.#peak, this.open - this.#ownNow(replicas))
  }

  /** True when it is worth borrowing more permits before they are needed. */
  runsLow(now: number, replicas: number): boolean {
    const needed = this.open > this.#ownNow(replicas) / 2
    return needed && this.#freeInPool > 0 && this.spare(now, replicas) < this.#ahead() / 2
  }

  /** True while the pool needs a report. */
  borrows(now: number, replicas: number): boolean {
    return this.#borrowedNow(now) > 0 || this.#peak > 0 || this.open > this.#ownNow(replicas)
  }

  /** The next request to the pool: for what was needed lately, or for more than is held. */
  request(now: number, { need, replicas, number }: Asking): PermitRequest {
    const inUse = Math.max(0, this.open - this.#ownNow(replicas))
    const held = this.#borrowedNow(now)
    const lately = Math.max(inUse, this.#peak)
    const want = need === 'same' ? lately : Math.max(lately, held) + this.#ahead()
    this.#peak = inUse
    this.#asksForAll = !mayOwn(replicas)
    this.#borrowed = Math.min(held, want)
    return { number, held: this.#borrowed, want: Math.min(want, this.#pool) }
  }

  /** Applies the pool's response. */
  learn({ granted, free }: { granted: number; free: number }, validUntil: number): void {
    this.#isDisowned = this.#asksForAll
    this.#borrowed = granted
    this.#freeInPool = free
    this.#validUntil = validUntil
  }

  /** The pool did not respond: what is free there is unknown. */
  missed(): void {
    this.#freeInPool = 0
  }

  #ownNow(replicas: number): number {
    return mayOwn(replicas) ? this.#own : 0
  }

  #borrowedNow(now: number): number {
    return now < this.#validUntil ? this.#borrowed : 0
  }

  #ahead(): number {
    return Math.max(1, Math.ceil(this.#pool * AHEAD_PART))
  }
}
