import type { ManagedDaemonSpec } from '@svc/shared/wire/managed-daemon.ts'
import type { Config } from '../config.ts'
import type { ManagedDaemonsTable } from './managed-daemons.tables.ts'

type Settings = Pick<Config['managedDaemons'], 'relayUrl' | 'storage' | 'resources'>

/** The spec of a daemon that is made for the first time. Its key is the first one, and none is accepted yet. */
export function newDaemonSpec(row: ManagedDaemonsTable, orgSlug: string, settings: Settings): ManagedDaemonSpec {
  const { size, className } = settings.storage
  return {
    orgId: row.organization_id,
    orgSlug,
    image: row.image,
    desiredState: 'running',
    relay: { url: `${settings.relayUrl}/t/${row.organization_id}`, keyGeneration: 1, acceptedGeneration: 0 },
    storage: className === undefined ? { size } : { size, className },
    resources: settings.resources,
    paused: false,
    deletionPolicy: 'retain',
    operation: { id: row.operation_id, action: row.operation_action, epoch: row.operation_epoch },
  }
}
