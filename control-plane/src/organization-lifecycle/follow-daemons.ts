import { createInTurns } from '@svc/shared/kit/in-turns.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { ManagedDaemon, ObservedState } from '@svc/shared/wire/managed-daemon.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import type { Wake } from '../jobs/jobs.ts'

/** Kind of the job that settles one hosted daemon; its subject is the organization. */
export const SETTLE_DAEMON = 'settle-daemon'

/** Wakes the settling of a daemon. A lost wake costs a sweep. */
export function createHintSettling({ wake, log }: { wake: Wake; log: Log }) {
  return (orgId: string): Promise<void> =>
    wake(SETTLE_DAEMON, orgId).catch((err: unknown) => log.warn({ err, orgId }, 'wake-up lost; a sweep follows'))
}

type Deps = {
  store: ManagedDaemonStore
  wake: Wake
  /** Records a state in the daemon's lifecycle unless it equals the newest one. */
  recordObserved(orgId: string, state: ObservedState, detail: { image?: string }): Promise<void>
  /** Organizations whose daemon must have a resource. */
  listActive(): Promise<string[]>
  log: Log
}

type Seen = {
  orgId: string
  state: ObservedState
  marks: string
  awaitsKey: boolean
  /** Records the states in the order of the events: the newest is the one that counts. */
  inTurn: ReturnType<typeof createInTurns>
}

/**
 * Follows the resources: wakes the settling of each that changed in a relevant way, and records their states. This may
 * fail while the database is away, and no event repeats it; the sweep finds what is left.
 */
export function createFollowDaemons({ store, wake, recordObserved, listActive, log }: Deps) {
  const seen = new Map<string, Seen>()
  let synced = false
  const report = (err: unknown) => log.warn({ err }, 'a change of a managed daemon was not followed; a sweep follows')

  const onUpserted = async (daemon: ManagedDaemon) => {
    const { name, spec, status } = daemon
    const { orgId } = spec
    const keys = status.relay?.keys.map(({ generation }) => generation).join()
    const marks = [spec.relay.acceptedGeneration, spec.relay.keyGeneration, keys, status.observedState].join(' ')
    const before = seen.get(name)
    const inTurn = before?.inTurn ?? createInTurns(1)
    seen.set(name, { orgId, state: status.observedState, marks, awaitsKey: awaitsKey(daemon), inTurn })
    if (before?.marks === marks) return

    try {
      const recorded = inTurn(async () => {
        if (before?.state !== status.observedState)
          await recordObserved(orgId, status.observedState, status.image === undefined ? {} : { image: status.image })
      })
      await Promise.all([wake(SETTLE_DAEMON, orgId), recorded])
    } catch (error) {
      seen.delete(name) // forget it: its next event counts again, and the sweep finds it
      throw error
    }
  }

  /** Active daemons without a known resource: there is no event for a deletion that nobody watched. */
  const listMissing = async (): Promise<string[]> => {
    const listed = new Set([...seen.values()].map(({ orgId }) => orgId))
    return (await listActive()).filter((orgId) => !listed.has(orgId))
  }
  const onSynced = async () => {
    synced = true
    for (const orgId of await listMissing()) await wake(SETTLE_DAEMON, orgId)
  }

  return {
    /** Starts following. Returns the function that stops it. */
    start: () =>
      store.watch((event) => {
        if (event.type === 'synced') onSynced().catch(report)
        if (event.type === 'upserted') onUpserted(event.daemon).catch(report)
        if (event.type !== 'removed') return
        const gone = seen.get(event.name)
        seen.delete(event.name)
        if (gone !== undefined) wake(SETTLE_DAEMON, gone.orgId).catch(report)
      }),
    /** Organizations whose daemon has an unaccepted key or no known resource; for the sweep. */
    listUnsettled: async (): Promise<string[]> => {
      const waiting = [...seen.values()].filter((each) => each.awaitsKey).map(({ orgId }) => orgId)
      return synced ? [...waiting, ...(await listMissing())] : waiting
    },
  }
}

function awaitsKey({ spec: { relay }, status }: ManagedDaemon): boolean {
  const newest = Math.max(relay.keyGeneration, ...(status.relay?.keys ?? []).map(({ generation }) => generation))
  return relay.acceptedGeneration < newest
}
