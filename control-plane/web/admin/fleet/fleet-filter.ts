import type { InventoryQuery } from '../admin-answers.ts'

const names = ['q', 'standing', 'observedState', 'entitlement', 'cursor'] as const
export type FleetFilter = Pick<InventoryQuery, (typeof names)[number]>

/** Reads the filter from an address. The filter is part of the address, so it can be bookmarked and sent. */
export function readFilter(search: string): FleetFilter {
  const given = new URLSearchParams(search)
  const filter: Record<string, string> = {}
  for (const name of names) {
    const value = given.get(name)
    if (value !== null && value !== '') filter[name] = value
  }
  return filter
}

/** The address of a filter. A changed filter begins on the first page. */
export function filterPath(filter: FleetFilter): string {
  const given = names.flatMap((name): [string, string][] => {
    const value = filter[name]
    return value === undefined || value === '' ? [] : [[name, value]]
  })
  const text = new URLSearchParams(given).toString()
  return text === '' ? '/admin' : `/admin?${text}`
}
