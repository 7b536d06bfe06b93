import type { InventoryQuery } from '../admin-answers.ts'

const names = ['q', 'standing', 'observedState', 'entitlement', 'cursor'] as const
export type FleetFilter = Pick<InventoryQuery, (typeof names)[number]>

/** The filter that an address names; a filter is an address, so it can be kept and sent. */
export function readFilter(search: string): FleetFilter {
  const given = new URLSearchParams(search)
  const filter: Record<string, string> = {}
  for (const name of names) {
    const value = given.get(name)
    if (value !== null && value !== '') filter[name] = value
  }
  return filter
}

/** The address of a filter. Another filter begins on its first page. */
export function filterPath(filter: FleetFilter): string {
  const given = names.flatMap((name): [string, string][] => {
    const value = filter[name]
    return value === undefined || value === '' ? [] : [[name, value]]
  })
  const text = new URLSearchParams(given).toString()
  return text === '' ? '/admin' : `/admin?${text}`
}
