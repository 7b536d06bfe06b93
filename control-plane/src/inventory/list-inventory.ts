import type { InventoryItem, InventoryQuery } from '@svc/shared/wire/admin.api.ts'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { InventoryRow } from './inventory.repository.ts'

type LatestEvents = Map<string, NonNullable<InventoryItem['lastEvent']>>

/** Rows and resources joined by organization; a resource whose organization is gone is shown by its own words. Pure. */
export function joinInventory(rows: InventoryRow[], daemons: ManagedDaemon[]): InventoryItem[] {
  const byOrg = new Map(daemons.map((daemon) => [daemon.spec.orgId, daemon]))
  const known = new Set(rows.map(({ orgId }) => orgId))
  const orphans = daemons
    .filter(({ spec }) => !known.has(spec.orgId))
    .map(({ spec: { orgId, orgSlug } }) => {
      const row = { orgId, slug: orgSlug, name: orgSlug }
      return { ...row, entitlement: null, claim: null, problem: null }
    })

  return [...rows, ...orphans]
    .map((row) => toItem(row, byOrg.get(row.orgId)))
    .toSorted((a, b) => compare(positionOf(a), positionOf(b)))
}

/** Where an item stands in the list. */
export const positionOf = ({ orgSlug, orgId }: Pick<InventoryItem, 'orgSlug' | 'orgId'>): [string, string] => [
  orgSlug,
  orgId,
]

/** Items that a query asks for. Pure. */
export function filterInventory(items: InventoryItem[], query: InventoryQuery): InventoryItem[] {
  const text = query.q?.toLowerCase() ?? ''
  return items.filter(
    ({ orgId, orgSlug, orgName, daemon, entitlement }) =>
      (text === '' || [orgId, orgSlug, orgName].some((part) => part.toLowerCase().includes(text))) &&
      matches(query.orgId, orgId) &&
      matches(query.desiredState, daemon?.desiredState) &&
      matches(query.observedState, daemon?.observedState) &&
      matches(query.image, daemon?.image) &&
      matches(query.version, daemon?.version) &&
      matches(query.entitlement, entitlement?.kind ?? 'none'),
  )
}

/** Items after a position, with their newest event. Pure. */
export function pageOf(items: InventoryItem[], limit: number, after: [string, string] | undefined) {
  const rest = after === undefined ? items : items.filter((item) => compare(positionOf(item), after) > 0)
  return { page: rest.slice(0, limit), more: rest.length > limit }
}

/** Items with what last happened to them. Pure. */
export function withEvents(items: InventoryItem[], events: LatestEvents): InventoryItem[] {
  return items.map((item) => ({ ...item, lastEvent: events.get(item.orgId) ?? null }))
}

const matches = (wanted: string | undefined, found: string | undefined) => wanted === undefined || wanted === found

function compare([slugA, idA]: [string, string], [slugB, idB]: [string, string]): number {
  if (slugA !== slugB) return slugA < slugB ? -1 : 1
  if (idA === idB) return 0
  return idA < idB ? -1 : 1
}

function toItem(row: InventoryRow, daemon: ManagedDaemon | undefined): InventoryItem {
  const { entitlement } = row
  return {
    orgId: row.orgId,
    orgSlug: row.slug,
    orgName: row.name,
    entitlement: entitlement && { kind: entitlement.kind, grantedAt: entitlement.grantedAt.toISOString() },
    daemon: daemon === undefined ? null : toDaemonView(daemon),
    problem: row.problem,
    lastEvent: null,
    claim: row.claim,
  }
}

function toDaemonView(daemon: ManagedDaemon): NonNullable<InventoryItem['daemon']> {
  const { spec, status } = daemon
  return {
    name: daemon.name,
    uid: daemon.uid,
    createdAt: daemon.createdAt,
    deleting: daemon.deletedAt !== undefined,
    paused: spec.paused,
    desiredState: spec.desiredState,
    observedState: status.observedState,
    image: spec.image,
    servingImage: status.image,
    lastGoodImage: status.lastGoodImage,
    version: status.version,
    provider: status.provider ?? {},
    storage: { size: spec.storage.size, ...status.storage },
    relay: { keyGeneration: spec.relay.keyGeneration, acceptedGeneration: spec.relay.acceptedGeneration },
    conditions: status.conditions,
    operation: status.operation,
  }
}
