import type { z } from 'zod'
import type { BackupState } from '@svc/shared/wire/backups.api.ts'
import type { HostedStatus } from '@svc/shared/wire/control-plane.api.ts'
import { messageOf } from '@svc/shared/wire/daemon/condition-messages.ts'
import { managedDaemonName, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import type { ManagedDaemonsRepository } from './managed-daemons.repository.ts'

type Status = z.infer<typeof HostedStatus>['status']
type Deps = {
  store: ManagedDaemonStore | undefined
  daemons: Pick<ManagedDaemonsRepository, 'find'>
  isConnected(orgId: string): Promise<boolean>
  findBackupState: ((orgId: string) => Promise<BackupState>) | undefined
  /** Idle time of organizations without a setting of their own. */
  idleSeconds: number
}

/** Reads the state of a hosted daemon. Reading never wakes it. */
export function createReadHostedStatus({ store, daemons, isConnected, findBackupState, idleSeconds }: Deps) {
  return async (orgId: string): Promise<Status> => {
    const [row, connected] = await Promise.all([daemons.find(orgId), isConnected(orgId)])
    const daemon = await store?.find(managedDaemonName(orgId))
    const idleSleep = toIdleSleep(row?.idle_seconds, idleSeconds)
    const backup = await findBackupState?.(orgId)
    if (daemon !== undefined) return { ...toStatus(daemon, connected), idleSleep, backup }
    const isLost = row !== undefined && row.resource_uid !== null
    const observedState = isLost ? 'failed' : 'pending'
    return { desiredState: 'running', observedState, conditions: [], relay: { connected }, idleSleep, backup }
  }
}

/** The resource as members may see it, without provider details and keys. */
function toStatus(
  { spec, status, deletedAt }: ManagedDaemon,
  connected: boolean,
): Omit<Status, 'idleSleep' | 'backup'> {
  return {
    desiredState: spec.desiredState,
    observedState: deletedAt === undefined ? status.observedState : 'deleting',
    image: status.image ?? spec.image,
    version: status.version,
    // What the runtime said may name parts of the cluster: only the inventory of system admins has it.
    conditions: status.conditions.map((condition) => ({ ...condition, message: messageOf(condition.reason) })),
    relay: { connected },
    storage: status.storage,
    operation: status.operation,
  }
}

/** The idle time that applies, and whether it is the organization's own. */
export function toIdleSleep(own: number | null | undefined, platform: number): Status['idleSleep'] {
  if (own === null || own === undefined) return { seconds: platform, from: 'platform' }
  return { seconds: own, from: 'organization' }
}
