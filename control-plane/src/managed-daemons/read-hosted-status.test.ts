import { expect, test } from 'vitest'
import { HostedStatus } from '@svc/shared/wire/control-plane.api.ts'
import type { Condition } from '@svc/shared/wire/managed-daemon.ts'
import { someDaemon } from '../../../test/support/managed-daemon-specs.ts'
import { createReadHostedStatus } from './read-hosted-status.ts'

const condition = (type: Condition['type'], reason: string, message: string): Condition => ({
  type,
  status: 'True',
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: '2026-06-01T12:00:00.000Z',
})

test('members read our sentence for a condition, and nothing that the cluster said', async () => {
  const daemon = someDaemon(
    {},
    {
      status: {
        observedState: 'running',
        conditions: [
          condition('Degraded', 'GrowthRefused', 'exceeded quota: tenants, used: requests.storage=40Gi'),
          condition('ImageResolved', 'SomethingNew', 'pull access denied for registry.internal'),
        ],
        operation: { id: 'grow-0001', outcome: 'failed', reason: 'GrowthRefused', message: 'exceeded quota: tenants' },
      },
    },
  )
  const read = createReadHostedStatus({
    store: { find: async () => daemon } as unknown as Parameters<typeof createReadHostedStatus>[0]['store'],
    daemons: { find: async () => undefined },
    isConnected: async () => true,
    findBackupState: undefined,
    idleSeconds: 0,
  })
  const status = await read(daemon.spec.orgId)
  expect(status.conditions.map(({ message }) => message)).toEqual([
    'The storage does not grow the volume: see its quota and its storage class.',
    'SomethingNew.',
  ])
  expect(JSON.stringify(HostedStatus.parse({ ok: true, status }))).not.toMatch(/quota: |registry/)
})
