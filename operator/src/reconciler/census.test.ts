import { expect, it } from 'vitest'
import type { Condition, ObservedState } from '@svc/shared/wire/managed-daemon.ts'
import { verifies } from '../../../test/requirements.ts'
import { someDaemon } from '../../../test/support/managed-daemon-specs.ts'
import { takeCensus } from './census.ts'

const NOW = new Date('2026-11-21T10:00:00.000Z')

function daemon(observedState: ObservedState, degraded?: { reason: string; minutes: number }, paused?: true) {
  const condition: Condition = {
    type: 'Degraded',
    status: degraded === undefined ? 'False' : 'True',
    observedGeneration: 1,
    lastTransitionTime: new Date(NOW.getTime() - (degraded?.minutes ?? 0) * 60_000).toISOString(),
    reason: degraded?.reason ?? 'AsDesired',
    message: 'x',
  }
  const one = someDaemon({ paused: paused ?? false })
  return { ...one, status: { ...one.status, observedState, conditions: [condition] } }
}

it('counts daemons by state, and those that have been degraded for a while by reason', () => {
  verifies('operator.down-counted')
  const crashed = { reason: 'Crashed', minutes: 6 }
  const { states, degraded } = takeCensus(
    [
      daemon('running'),
      daemon('sleeping'),
      daemon('degraded', crashed),
      daemon('degraded', crashed),
      daemon('degraded', { reason: 'RelayNotConnected', minutes: 4 }),
      daemon('failed', { reason: 'VolumeLost', minutes: 60 }),
      daemon('running', { reason: 'SomebodyElsesWord', minutes: 60 }),
      daemon('degraded', crashed, true),
    ],
    NOW,
  )
  expect(states).toMatchObject({ running: 2, sleeping: 1, degraded: 4, failed: 1, starting: 0 })
  expect(degraded).toEqual([
    { state: 'degraded', reason: 'Crashed', count: 2 },
    { state: 'failed', reason: 'VolumeLost', count: 1 },
    { state: 'running', reason: 'Other', count: 1 },
  ])
})
