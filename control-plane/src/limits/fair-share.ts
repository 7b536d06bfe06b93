import { ByteUse, type ByteSettings, type OrgLimitSettings } from './org-use.ts'

/** Parts of what an organization may take that one person or agent in it may take alone. */
const BURST_PART = 1 / 2
const QUEUED_PART = 1 / 4

/** The part of one person, or one agent, in the limits of an organization. */
export function personSettings({ bytesPerSecond, burstBytes, queuedBytes }: OrgLimitSettings): ByteSettings {
  return { bytesPerSecond, burstBytes: burstBytes * BURST_PART, queuedBytes: queuedBytes * QUEUED_PART }
}

/** What one person or agent of an organization uses of its limits at this replica. */
export class PersonUse {
  open = 0
  /** Until then the pool is not asked again on this person's behalf. */
  refusedUntil = Number.NEGATIVE_INFINITY
  readonly bytes: ByteUse

  constructor(settings: OrgLimitSettings, now: number) {
    this.bytes = new ByteUse(personSettings(settings), now)
  }

  /**
   * True for a person who holds as many requests as are left for all others: nobody may hold more. One person alone comes
   * to half of what there is, two to a third each, and there is always room for one who has nothing open.
   */
  holdsAllOf(free: number): boolean {
    return this.open > 0 && this.open >= free
  }
}
