/** What a page knows of its data, in milliseconds of the clock. */
export type Known = {
  /** When the oldest of its reads ended; 0 before the first one. */
  readAt: number
  /** When the event stream last said that every change was sent. */
  heardAt: number
  /** The event stream is connected, nothing is being read, and no read has failed. */
  isTold: boolean
}

/** Until when what the page shows is known to be true. Never falls: a read in flight does not make the page older. */
export function trueUntil(before: number, { readAt, heardAt, isTold }: Known): number {
  return Math.max(before, readAt, isTold && readAt > 0 ? heardAt : 0)
}

/** Beats come every two seconds. After some that are missing, the page no longer calls itself live. */
const LIVE_MS = 10_000

/** The state of the page for the person who looks at it. */
export function freshnessOf({ ageMs, isOnline }: { ageMs: number; isOnline: boolean }) {
  if (!isOnline) return 'offline'
  return ageMs <= LIVE_MS ? 'live' : 'reconnecting'
}

/** An age in the largest unit: "2 s ago", "3 min ago", "5 h ago". */
export function ageText(ageMs: number): string {
  const seconds = Math.max(0, Math.round(ageMs / 1_000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`
  return `${Math.floor(seconds / 3_600)} h ago`
}
