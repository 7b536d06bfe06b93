import { describe, expect, test } from 'vitest'
import type { Condition, ManagedDaemonStatus } from '@svc/shared/wire/managed-daemon.ts'
import { someDaemon } from '../../../test/support/managed-daemon-specs.ts'
import { judgeDaemon } from './judge-daemon.ts'

const SINCE = '2026-06-01T12:00:00.000Z'
const condition = (type: Condition['type'], status: Condition['status'], reason: string): Condition => ({
  type,
  status,
  reason,
  message: `Of ${reason}.`,
  observedGeneration: 1,
  lastTransitionTime: SINCE,
})
const judge = (
  desiredState: 'running' | 'sleeping',
  observedState: ManagedDaemonStatus['observedState'],
  conditions: Condition[] = [],
  deletedAt?: string,
) => {
  const daemon = someDaemon({ desiredState })
  return judgeDaemon({
    ...daemon,
    status: { ...daemon.status, observedState, conditions },
    ...(deletedAt === undefined ? {} : { deletedAt }),
  })
}

test.each([
  ['running', 'running', 'running'],
  ['sleeping', 'sleeping', 'asleep'],
  ['sleeping', 'stopping', 'changing'],
  ['running', 'sleeping', 'changing'],
  ['running', 'pending', 'changing'],
  ['running', 'starting', 'changing'],
] as const)('wanted %s, observed %s: %s', (desired, observed, standing) =>
  expect(judge(desired, observed)).toEqual({ standing }),
)

test('one that is being deleted changes, whatever its conditions say', () => {
  expect(judge('running', 'failed', [condition('Degraded', 'True', 'Crashed')], SINCE)).toEqual({
    standing: 'changing',
  })
})

describe('what needs somebody', () => {
  test.each([
    ['failed', 'Degraded', 'True', 'Crashed', 'failed'],
    ['degraded', 'Degraded', 'True', 'RelayNotConnected', 'not_connected'],
    ['running', 'Degraded', 'True', 'OperationFailed', 'update_failed'],
    ['running', 'Degraded', 'True', 'NodeLost', 'degraded'],
    ['running', 'StorageHealthy', 'False', 'NearlyFull', 'storage_full'],
  ] as const)('%s with %s %s %s: %s', (observed, type, status, reason, kind) =>
    expect(judge('running', observed, [condition(type, status, reason)])).toEqual({
      standing: 'attention',
      attention: { kind, reason: `Of ${reason}.`, since: SINCE },
    }),
  )

  test('a failed one without conditions is told all the same', () => {
    expect(judge('running', 'failed')).toMatchObject({ standing: 'attention', attention: { kind: 'failed' } })
  })

  test('a full volume comes before a failed update: nothing can be written', () => {
    const both = [condition('Degraded', 'True', 'OperationFailed'), condition('StorageHealthy', 'False', 'NearlyFull')]
    expect(judge('running', 'running', both).attention?.kind).toBe('storage_full')
  })

  test('what is not known needs nobody', () => {
    expect(judge('running', 'running', [condition('StorageHealthy', 'Unknown', 'NotMeasured')]).standing).toBe(
      'running',
    )
  })
})
