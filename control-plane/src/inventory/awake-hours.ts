import type { OverviewHour } from '@svc/shared/wire/admin/inventory.api.ts'

const HOUR_MS = 3_600_000
const HOURS = 24

type Changes = {
  /** Daemons that run now. */
  awake: number
  /** Per hour, as a multiple of `HOUR_MS`: daemons that started running minus those that stopped. */
  turned: ReadonlyMap<number, number>
  ended: ReadonlyMap<number, { succeeded: number; failed: number }>
}

/** The last 24 hours, oldest first, counted back from what runs now. Pure. */
export function lastHours(now: Date, { awake, turned, ended }: Changes): OverviewHour[] {
  const current = Math.floor(now.getTime() / HOUR_MS)
  const hours: OverviewHour[] = []
  let atEnd = awake
  for (let hour = current; hour > current - HOURS; hour--) {
    const { succeeded = 0, failed = 0 } = ended.get(hour) ?? {}
    // Events of deleted daemons may be missing: never count below zero.
    hours.unshift({ from: new Date(hour * HOUR_MS).toISOString(), awake: Math.max(0, atEnd), succeeded, failed })
    atEnd -= turned.get(hour) ?? 0
  }
  return hours
}
