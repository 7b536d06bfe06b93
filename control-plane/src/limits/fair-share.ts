import { ByteUse, type ByteSettings, type OrgLimitSettings } from './org-use.ts'

/** The fraction that one person or agent may use of its part (`personPart`) of the queued bytes. */
const QUEUED_PART = 1 / 2

/** One person's or agent's share of an organization's limits. */
export function personSettings(settings: OrgLimitSettings): ByteSettings {
  const { bytesPerSecond, burstBytes, queuedBytes, personPart } = settings
  return {
    bytesPerSecond,
    burstBytes: burstBytes * personPart,
    queuedBytes: queuedBytes * personPart * QUEUED_PART,
  }
}

/** The use of an organization's limits by one person or agent, at this replica. */
export class PersonUse {
  open = 0
  /** Until then the pool is not asked again for this person. */
  refusedUntil = Number.NEGATIVE_INFINITY
  readonly bytes: ByteUse

  constructor(settings: OrgLimitSettings, now: number) {
    this.bytes = new ByteUse(personSettings(settings), now)
  }

  /**
   * True for a person who holds as many requests as are left for all others: nobody may hold more. One person alone
   * gets at most half, two get a third each, and somebody with no open request always finds room. A replica knows only
   * what the person holds here, so `free` is its even part of what is free on all replicas.
   */
  holdsAllOf(free: number): boolean {
    return this.open > 0 && this.open >= free
  }
}
