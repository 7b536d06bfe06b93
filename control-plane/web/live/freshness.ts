/** What is known about the age of a page's data, as clock times in milliseconds. */
export type Known = {
  /** When the oldest of the reads ended; 0 before the first one. */
  readAt: number
  /** When the event stream last confirmed that it had sent every change. */
  heardAt: number
  /** True if the event stream is connected, no read is in flight, and no read has failed. */
  isTold: boolean
}

/**
 * The time up to which the shown data is known to be true. Never decreases: a read in flight does not make the page
 * older.
 */
export function trueUntil(before: number, { readAt, heardAt, isTold }: Known): number {
  return Math.max(before, readAt, isTold && readAt > 0 ? heardAt : 0)
}

/** The server sends a beat every two seconds. If several are missing, the page no longer calls itself live. */
const LIVE_MS = 10_000

/** The state of the page, for display. */
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
