import { ByteUse, type ByteSettings, type OrgLimitSettings } from './org-use.ts'

/** The shares of an organization's limits that one person or agent may use alone. */
const BURST_PART = 1 / 2
const QUEUED_PART = 1 / 4

/** One person's or agent's share of an organization's limits. */
export function personSettings({ bytesPerSecond, burstBytes, queuedBytes }: OrgLimitSettings): ByteSettings {
  return { bytesPerSecond, burstBytes: burstBytes * BURST_PART, queuedBytes: queuedBytes * QUEUED_PART }
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
   * gets at most half, two get a third each, and somebody with no open request always finds room.
   */
  holdsAllOf(free: number): boolean {
    return this.open > 0 && this.open >= free
  }
}
