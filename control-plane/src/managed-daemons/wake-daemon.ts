import { managedDaemonName, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { StoreConflict, type ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'

type Deps = { store: ManagedDaemonStore | undefined; recordWake(orgId: string): Promise<void> }

/**
 * Asks a hosted daemon to run; true when this call woke it. `known`: the resource as the caller has just read it, so
 * that it need not be read again.
 */
export type Wake = (orgId: string, known?: ManagedDaemon) => Promise<boolean>

const TRIES = 5

/** Changes nothing when a daemon already runs or is being deleted. */
export function createWakeDaemon({ store, recordWake }: Deps): Wake {
  return async (orgId, known) => {
    if (store === undefined) return false
    for (let attempt = 1; ; attempt += 1) {
      const first = attempt === 1 ? known : undefined
      const daemon = first ?? (await store.find(managedDaemonName(orgId)))
      if (daemon === undefined || daemon.deletedAt !== undefined || daemon.spec.desiredState === 'running') return false
      try {
        await store.patchSpec(daemon.name, daemon.resourceVersion, { desiredState: 'running' })
      } catch (error) {
        if (error instanceof StoreConflict && attempt < TRIES) continue
        throw error
      }
      await recordWake(orgId)
      return true
    }
  }
}
