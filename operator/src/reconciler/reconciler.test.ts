import { expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import { verifies } from '../../../test/requirements.ts'
import { someDaemon } from '../../../test/support/managed-daemon-specs.ts'
import { memoryRuntime } from '../../../test/support/memory-runtime.ts'
import { until } from '../../../test/support/until.ts'
import type { Children } from '../managed-daemon/observed.ts'
import { defaultLimits } from '../managed-daemon/plan-limits.ts'
import { createReconciler } from './reconciler.ts'

test('a step that works and changes nothing is repeated with pauses', async () => {
  const daemon = someDaemon()
  const { runtime } = memoryRuntime()
  const slept: number[] = []
  const reconciler = createReconciler({
    store: {
      find: async () => daemon,
      putStatus: async (_name, _version, status) => ({ ...daemon, status }),
      watch: (onEvent) => {
        onEvent({ type: 'upserted', daemon })
        onEvent({ type: 'synced' })
        return () => {}
      },
    } as Partial<ManagedDaemonStore> as ManagedDaemonStore,
    runtime: { ...runtime, execute: async () => {} },
    clock: {
      now: () => new Date(),
      monotonic: () => 0,
      sleep: (ms, signal) =>
        new Promise((_resolve, reject) => {
          slept.push(ms)
          signal?.addEventListener('abort', () => reject(new Error('stopped')))
        }),
    },
    log: createLog({ service: 'test', level: 'fatal' }),
    random: () => 0.5,
  })
  reconciler.start()
  await until('a pause', () => slept.includes(defaultLimits.pollMs))
  expect(reconciler.metrics().reconciles).toBe(30)
  await reconciler.stop()
})

test('a daemon that waits for the same is looked at ever more rarely', async () => {
  verifies('operator.dead-node-apart')
  const daemon = { ...someDaemon(), status: { observedState: 'degraded', conditions: [] } } satisfies ManagedDaemon
  const pauses: number[] = []
  let time = 0
  const { image } = daemon.spec
  const pending: Children = {
    foreign: [],
    fixtures: 'present',
    volume: { name: 'home', requestedBytes: 2 ** 40, capacityBytes: 2 ** 40, owned: false },
    keys: { held: [{ generation: 1, hash: '1'.repeat(64) }], current: 1 },
    workload: { name: 'org-a', image, running: true },
    machine: { id: 'org-a-0', image, state: 'starting', startedAt: new Date(0) },
  }
  const reconciler = createReconciler({
    store: {
      find: async () => daemon,
      putStatus: async () => daemon,
      watch: (onEvent) => {
        onEvent({ type: 'upserted', daemon })
        return () => {}
      },
    } as Partial<ManagedDaemonStore> as ManagedDaemonStore,
    runtime: { ...memoryRuntime().runtime, observe: async () => pending },
    clock: {
      now: () => new Date(time),
      monotonic: () => time,
      sleep: async (ms, signal) => {
        // The resync, and everything once the test has seen enough.
        if (ms >= 600_000 || pauses.length === 60)
          return new Promise((_resolve, reject) =>
            signal?.addEventListener('abort', () => reject(new Error('stopped'))),
          )
        pauses.push(ms)
        time += ms
      },
    },
    log: createLog({ service: 'test', level: 'fatal' }),
    random: () => 0.5,
  })
  reconciler.start()
  await until('many looks', () => pauses.length === 60)
  await reconciler.stop()
  expect(pauses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => defaultLimits.pollMs))
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b))
  expect(pauses.at(-1)).toBe(defaultLimits.steadyMs)
})
