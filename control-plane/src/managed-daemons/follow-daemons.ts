import type { Log } from '@svc/shared/kit/log.ts'
import type { ManagedDaemon, ObservedState } from '@svc/shared/wire/managed-daemon.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import type { Wake } from '../jobs/jobs.ts'

/** Kind of the job that settles one hosted daemon; its subject is the organization. */
export const SETTLE_DAEMON = 'settle-daemon'

type Deps = {
  store: ManagedDaemonStore
  wake: Wake
  /** Notes a state in the lifecycle of the daemon unless it is the newest one already. */
  recordObserved(orgId: string, state: ObservedState, detail: { image?: string }): Promise<void>
  /** Organizations whose daemon has to have a resource. */
  listActive(): Promise<string[]>
  log: Log
}

/** Follows the resources: wakes the settling of each one that changed in a way that matters, and notes their states. */
export function followDaemons({ store, wake, recordObserved, listActive, log }: Deps): () => void {
  const seen = new Map<string, { orgId: string; state: ObservedState; marks: string }>()
  const report = (err: unknown) => log.warn({ err }, 'a change of a managed daemon was not followed; a sweep follows')

  const onUpserted = async ({ name, spec, status }: ManagedDaemon) => {
    const { orgId } = spec
    const keys = status.relay?.keys.map(({ generation }) => generation).join()
    const marks = [spec.relay.acceptedGeneration, spec.relay.keyGeneration, keys, status.observedState].join(' ')
    const before = seen.get(name)
    seen.set(name, { orgId, state: status.observedState, marks })
    if (before?.marks === marks) return

    await wake(SETTLE_DAEMON, orgId)
    if (before?.state !== status.observedState)
      await recordObserved(orgId, status.observedState, status.image === undefined ? {} : { image: status.image })
  }

  // What went while nobody watched is in no event: it is missing from the listing.
  const onSynced = async () => {
    const listed = new Set([...seen.values()].map(({ orgId }) => orgId))
    for (const orgId of await listActive()) if (!listed.has(orgId)) await wake(SETTLE_DAEMON, orgId)
  }

  return store.watch((event) => {
    if (event.type === 'synced') onSynced().catch(report)
    if (event.type === 'upserted') onUpserted(event.daemon).catch(report)
    if (event.type !== 'removed') return
    const gone = seen.get(event.name)
    seen.delete(event.name)
    if (gone !== undefined) wake(SETTLE_DAEMON, gone.orgId).catch(report)
  })
}
