/** The period for which the margin shows authors. */
export const margins = ['week', 'all', 'none'] as const
export type MarginWindow = (typeof margins)[number]

export const marginWords: Record<MarginWindow, string> = {
  week: 'Last 7 days',
  all: 'All authors',
  none: 'No authors',
}

const KEY = 'svc.margin'
const WEEK_MS = 7 * 24 * 3_600_000

export function readMarginWindow(): MarginWindow {
  try {
    return margins.find((one) => one === localStorage.getItem(KEY)) ?? 'week'
  } catch {
    return 'week'
  }
}

export function keepMarginWindow(window: MarginWindow) {
  try {
    localStorage.setItem(KEY, window)
  } catch {
    // Without storage, only the choice is lost at the next visit.
  }
}

/** The earliest time of changes to show; undefined for all of them. Pure. */
export const marginSince = (window: MarginWindow, now: Date): string | undefined =>
  window === 'week' ? new Date(now.getTime() - WEEK_MS).toISOString() : undefined
