import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import { StoreConflict, type ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'

type Deps = { store: ManagedDaemonStore | undefined; recordWake(orgId: string): Promise<void> }

const TRIES = 5

/**
 * Asks a sleeping hosted daemon to run; changes nothing when it already runs or is being deleted. Returns true when
 * this call woke it.
 */
export function createWakeDaemon({ store, recordWake }: Deps) {
  return async (orgId: string): Promise<boolean> => {
    if (store === undefined) return false
    for (let attempt = 1; ; attempt += 1) {
      const daemon = await store.find(managedDaemonName(orgId))
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
