import type { QuietHours } from '@svc/shared/wire/admin/rollouts.api.ts'

const DAY = 24 * 60

/** Whether a time is in the quiet hours, and in how many minutes that changes. Pure. */
export function quietAt(
  moment: Date,
  { from, to, timeZone }: QuietHours,
): { quiet: boolean; changesInMinutes: number } {
  const now = minutesOf(wallTime(moment, timeZone))
  const [begin, end] = [minutesOf(from), minutesOf(to)]
  // Equal ends mean the whole day.
  const length = (end - begin + DAY) % DAY || DAY
  const since = (now - begin + DAY) % DAY
  return since < length
    ? { quiet: true, changesInMinutes: length - since }
    : { quiet: false, changesInMinutes: DAY - since }
}

function wallTime(moment: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(
    moment,
  )
}

function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * 60 + minutes
}
