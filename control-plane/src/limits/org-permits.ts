/** What one replica asks of the pool: it holds `held` permits and wants `want`. Requests of a replica are numbered. */
export type PermitRequest = { number: number; held: number; want: number }

type Asking = { need: 'more' | 'same'; replicas: number; number: number }

/** An organization's own permits at each replica are this part of its limit, shared by so many replicas at most. */
const OWN_PART = 3 / 8
const REPLICAS_AT_MOST = 16
/** Permits that are asked for ahead of need, so that few requests wait for the pool. */
const AHEAD_PART = 1 / 32

/**
 * How a limit is divided: `own` permits belong to each replica for good, the others lie in a pool from which replicas
 * borrow. An only replica owns them all.
 */
export function divideLimit(limit: number, among: 'shared' | 'alone'): { own: number; pool: number } {
  if (among === 'alone') return { own: limit, pool: 0 }
  const own = Math.floor((limit * OWN_PART) / REPLICAS_AT_MOST)
  return { own, pool: limit - own * REPLICAS_AT_MOST }
}

/** A replica beyond the sixteenth has no permits of its own. */
export const mayOwn = (replicas: number): boolean => replicas <= REPLICAS_AT_MOST

/**
 * The permits of one organization at this replica. Nothing is opened without one. Borrowed permits are the replica's until
 * `validUntil`, which is sooner than the pool takes them back; permits that are given back are given up before the pool
 * hears of it. So the permits of all replicas together are never more than the limit.
 */
export class OrgPermits {
  open = 0
  readonly #own: number
  readonly #pool: number
  #borrowed = 0
  #validUntil = Number.NEGATIVE_INFINITY
  #freeInPool: number
  /** The most that was borrowed and in use since the pool was last asked. */
  #peak = 0

  constructor({ own, pool }: { own: number; pool: number }) {
    this.#own = own
    this.#pool = pool
    this.#freeInPool = pool
  }

  /** Permits that may be opened now. */
  spare(now: number, replicas: number): number {
    return this.#ownNow(replicas) + this.#borrowedNow(now) - this.open
  }

  /** Requests that are open and have lost their permit. */
  excess(now: number): number {
    return Math.max(0, this.open - this.#own - this.#borrowedNow(now))
  }

  /** Permits that nobody uses, as far as this replica knows. */
  free(now: number, replicas: number): number {
    return Math.max(0, this.spare(now, replicas)) + this.#freeInPool
  }

  /** Takes one. The caller has seen that there is one to spare. */
  take(replicas: number): void {
    this.open += 1
    this.#peak = Math.max(this.#peak, this.open - this.#ownNow(replicas))
  }

  /** True where more permits are worth asking for before they are needed. */
  runsLow(now: number, replicas: number): boolean {
    const needed = this.open > this.#ownNow(replicas) / 2
    return needed && this.#freeInPool > 0 && this.spare(now, replicas) < this.#ahead() / 2
  }

  /** True while the pool has to be told. */
  borrows(now: number): boolean {
    return this.#borrowedNow(now) > 0 || this.#peak > 0
  }

  /** What to ask of the pool: what was needed lately, or more than is held. */
  request(now: number, { need, replicas, number }: Asking): PermitRequest {
    const inUse = Math.max(0, this.open - this.#ownNow(replicas))
    const held = this.#borrowedNow(now)
    const lately = Math.max(inUse, this.#peak)
    const want = need === 'same' ? lately : Math.max(lately, held) + this.#ahead()
    this.#peak = inUse
    this.#borrowed = Math.min(held, want)
    return { number, held: this.#borrowed, want: Math.min(want, this.#pool) }
  }

  /** Takes over what the pool answered. */
  learn({ granted, free }: { granted: number; free: number }, validUntil: number): void {
    this.#borrowed = granted
    this.#freeInPool = free
    this.#validUntil = validUntil
  }

  /** The pool did not answer: nobody knows what is free there. */
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
