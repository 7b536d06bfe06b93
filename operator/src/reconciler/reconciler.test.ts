import { expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import { someDaemon } from '../../../test/support/managed-daemon-specs.ts'
import { memoryRuntime } from '../../../test/support/memory-runtime.ts'
import { until } from '../../../test/support/until.ts'
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
