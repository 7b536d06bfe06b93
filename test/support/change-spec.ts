import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { StoreConflict, type ManagedDaemonStore, type SpecPatch } from '@svc/shared/wire/managed-daemon-store.ts'

/** Changes the spec of a resource in the version that it has by then: an operator may write its status meanwhile. */
export async function changeSpec(store: ManagedDaemonStore, name: string, patch: SpecPatch): Promise<ManagedDaemon> {
  for (;;) {
    const { resourceVersion } = (await store.find(name))!
    try {
      return await store.patchSpec(name, resourceVersion, patch)
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
    }
  }
}
