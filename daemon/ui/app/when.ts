const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long ago something was, in words: `5 min ago`, `yesterday`, `12 Nov`. Pure. */
export function ago(then: Date, now: Date): string {
  const past = now.getTime() - then.getTime()
  if (past < MINUTE) return 'just now'
  if (past < HOUR) return `${Math.floor(past / MINUTE)} min ago`
  if (sameDay(then, now)) return `${Math.floor(past / HOUR)} h ago`
  if (sameDay(then, new Date(now.getTime() - DAY))) return 'yesterday'
  return dayOf(then, now)
}

/** The date of a time, with the year if it is not the current one. Pure. */
export function dayOf(then: Date, now: Date): string {
  const year = then.getFullYear() === now.getFullYear() ? undefined : ('numeric' as const)
  return then.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year })
}

/** Hours and minutes. Pure. */
export function timeOf(then: Date): string {
  return then.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
}

/** The local date of a time, as dates are written in files: `2026-11-22`. Pure. */
export function localDay(then: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${String(then.getFullYear()).padStart(4, '0')}-${two(then.getMonth() + 1)}-${two(then.getDate())}`
}

const sameDay = (one: Date, other: Date) => one.toDateString() === other.toDateString()
