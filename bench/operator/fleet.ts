import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { findCondition, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { StoreConflict } from '@svc/shared/wire/managed-daemon-store.ts'
import type { KubeClient } from '@svc/kube/src/kube-client.ts'
import { managedDaemonKubeStore } from '@svc/kube/src/managed-daemon-kube-store.ts'
import { someSpec } from '../../test/support/managed-daemon-specs.ts'
import { until } from '../../test/support/until.ts'

export const REPOSITORY = 'registry.example.net/svc/svcd'
const AT_A_TIME = 16
const image = `${REPOSITORY}@sha256:${'b'.repeat(64)}`

const isSettled = ({ status, generation }: ManagedDaemon) =>
  status.observedState === 'running' &&
  status.observedGeneration === generation &&
  findCondition(status, 'Progressing')?.status === 'False'

/** The daemons of the bench, from the side of the control plane. */
export function watchFleet({ client, namespace }: { client: KubeClient; namespace: string }) {
  const log = createLog({ service: 'bench', level: 'error' })
  const store = managedDaemonKubeStore({
    client,
    clock: systemClock,
    log,
    random: Math.random,
    namespace,
    fieldManager: 'svc-bench',
  })
  const daemons = new Map<string, ManagedDaemon>()
  const settled = new Set<string>()
  let lastChange = 0
  const stop = store.watch((event) => {
    if (event.type !== 'upserted') return
    const { daemon } = event
    daemons.set(daemon.name, daemon)
    if (!isSettled(daemon)) settled.delete(daemon.name)
    else if (!settled.has(daemon.name)) {
      settled.add(daemon.name)
      lastChange = systemClock.monotonic()
    }
  })

  return {
    /** Creates that many daemons and waits until all of them run as desired. Returns how long that took. */
    async grow(count: number, onProgress: (settled: number) => void): Promise<number> {
      const since = systemClock.monotonic()
      const wanted = settled.size + count
      let left = count
      const create = async () => {
        while (left-- > 0) await store.create(someSpec({ image, operation: operation('provision', 0) }))
      }
      const creating = Promise.all(Array.from({ length: AT_A_TIME }, create))
      const progress = setInterval(() => onProgress(settled.size), 5_000)
      await creating
      await until('all daemons are as desired', () => settled.size >= wanted, { withinMs: count * 2_000 + 60_000 })
      clearInterval(progress)
      return lastChange - since
    },

    /**
     * Requests the next relay key of one daemon. Returns when the change was sent, in milliseconds of the wall clock.
     */
    async rotate(name: string): Promise<number> {
      const daemon = daemons.get(name)
      if (daemon === undefined) throw new Error(`there is no ${name}`)
      const keyGeneration = daemon.spec.relay.keyGeneration + 1
      const change = { relay: { keyGeneration }, operation: operation('key_rotation', keyGeneration) }
      const sentAt = systemClock.now().getTime()
      const patched = await store.patchSpec(name, daemon.resourceVersion, change).catch((error: unknown) => {
        if (error instanceof StoreConflict) return undefined // the watch is behind: the caller tries another one
        throw error
      })
      return patched ? sentAt : Number.NaN
    },
    untilSettled: (name: string) =>
      until(`${name} is as desired`, () => settled.has(name) && daemons.get(name)?.status.relay?.keys.length === 1, {
        withinMs: 60_000,
        everyMs: 10,
      }),
    names: () => [...daemons.keys()],
    stop,
  }
}

const operation = (action: 'provision' | 'key_rotation', epoch: number) => ({ id: `${action}-${epoch}`, action, epoch })
