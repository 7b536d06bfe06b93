import type { ColumnType } from 'kysely'
import type { Attention, DaemonView, Standing } from '@svc/shared/wire/admin/inventory.api.ts'
import type { ManagedDaemonSpec, ObservedState } from '@svc/shared/wire/managed-daemon.ts'

/** The last seen state of a managed daemon. Lists read this; changes go to the store. */
export type InventoryDaemonsTable = {
  org_id: string
  org_slug: string
  name: string
  uid: string
  /** Version of the resource. An older version never replaces a newer one. */
  resource_version: number
  desired_state: ManagedDaemonSpec['desiredState']
  observed_state: ObservedState
  image: string
  version: string | null
  standing: Standing
  attention: Attention['kind'] | null
  attention_reason: string | null
  attention_since: Date | null
  used_bytes: number | null
  capacity_bytes: number | null
  /** What the list shows of the daemon, as JSON. */
  view: ColumnType<DaemonView, string, string>
}

/** Daemons that started running minus those that stopped; a trigger on `lifecycle_events` keeps it. */
export type AwakeChangesTable = {
  /** Hours since 1970. */
  hour: number
  /** An hour has several rows, which are added up. */
  slot: number
  turned: number
}

export type InventoryTables = { inventory_daemons: InventoryDaemonsTable; awake_changes: AwakeChangesTable }
