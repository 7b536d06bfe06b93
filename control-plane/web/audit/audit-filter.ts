/** The filter of an audit. Days are in the time zone of the reader. */
export type AuditFilter = { event?: string; actor?: string; since?: string; until?: string; cursor?: string }

const names = ['event', 'actor', 'since', 'until', 'cursor'] as const
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Reads the filter from an address. The filter is part of the address, so it can be bookmarked and sent. */
export function readAuditFilter(search: string): AuditFilter {
  const given = new URLSearchParams(search)
  const filter: AuditFilter = {}
  for (const name of names) {
    const value = given.get(name)?.trim()
    if (value !== undefined && value !== '') filter[name] = value
  }
  return filter
}

/** The filter as parameters of the API. The last day is included completely. */
export function toAuditQuery({ since, until, ...filter }: AuditFilter): Record<string, string | undefined> {
  return { ...filter, from: startOf(since, 0), to: startOf(until, 1) }
}

function startOf(day: string | undefined, daysLater: number): string | undefined {
  if (day === undefined || !DAY.test(day)) return undefined
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + daysLater).toISOString()
}
