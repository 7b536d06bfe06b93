import { expect, test } from 'vitest'
import { initialStatus, type ManagedDaemonSpec, type ObservedState } from '@svc/shared/wire/managed-daemon.ts'
import { toHostedState } from './hosted-state.ts'

const daemon = (observedState: ObservedState, desiredState: 'running' | 'sleeping' = 'running') => ({
  spec: { desiredState } as ManagedDaemonSpec,
  status: { ...initialStatus, observedState },
})

test.each([
  ['there is no resource yet', undefined, 'starting'],
  ['nobody has looked at it', daemon('pending'), 'starting'],
  ['its volume is made', daemon('provisioning'), 'starting'],
  ['it runs', daemon('running'), 'running'],
  ['it recovers by itself', daemon('degraded'), 'starting'],
  ['it gave up', daemon('failed'), 'failed'],
  ['it slept when its volume was lost', daemon('failed', 'sleeping'), 'failed'],
  ['it is asked to sleep but still runs', daemon('running', 'sleeping'), 'sleeping'],
  ['it is on its way out', { ...daemon('running'), deletedAt: '2026-01-01T00:00:00Z' }, 'failed'],
] as const)('%s', (_, found, state) => expect(toHostedState(found)).toBe(state))
