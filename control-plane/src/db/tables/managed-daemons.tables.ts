import type { Generated, Selectable } from 'kysely'
import type { ManagedDaemonSpec } from '@svc/shared/wire/managed-daemon.ts'

/** One row for each hosted organization: the provisioning lease first, then the identity of its resource. */
export type ManagedDaemonsTable = {
  organization_id: string
  name: string
  state: 'provisioning' | 'active' | 'deleting'
  /** uid of the resource that was created for this row; a resource with another uid is not trusted. */
  resource_uid: string | null
  image: string
  operation_id: string
  operation_action: NonNullable<ManagedDaemonSpec['operation']>['action']
  operation_epoch: number
  leased_at: Date
  activated_at: Date | null
  last_problem: string | null
  /** True once the teardown has asked for the removal of the resource with its volume. */
  removal_begun: Generated<boolean>
  /** Seconds without use after which the daemon sleeps; null: the platform's default, 0: never. */
  idle_seconds: Generated<number | null>
  /** When to check next whether the daemon is idle. */
  idle_look_at: Generated<Date>
}

export type ManagedDaemonRow = Selectable<ManagedDaemonsTable>

export type ManagedDaemonsTables = {
  managed_daemons: ManagedDaemonsTable
}
