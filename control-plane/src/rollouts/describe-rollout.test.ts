import { expect, test } from 'vitest'
import { RolloutSettings } from '@svc/shared/wire/admin/rollouts.api.ts'
import { verifies } from '../../../test/requirements.ts'
import { describeRollout } from './describe-rollout.ts'
import { noMembers } from './member-counts.ts'
import type { RolloutRecord } from './rollouts.repository.ts'

const record: RolloutRecord = {
  id: 'rol_1',
  operationId: 'rollout-2026-01',
  image: 'registry.example.net/svcd:1.2.3',
  reason: 'new release',
  actor: { kind: 'user', id: 'usr_aaaaaaaaaaaaaaaaaaaaaaaa' },
  settings: RolloutSettings.parse({ failureBudget: 1 }),
  state: 'stopped',
  stateReason: 'FailureBudgetSpent',
  currentWave: 1,
  soakUntil: undefined,
  failureBudget: 4,
  failuresBorne: 2,
  createdAt: new Date('2026-06-01T12:00:00Z'),
  finishedAt: undefined,
}
const waves = [
  { ...noMembers, total: 1, succeeded: 1 },
  { ...noMembers, total: 3, failed: 2, pending: 1 },
]

test('the first wave is the canary, and the counts of a rollout are the sums of its waves', () => {
  verifies('rollout.waves')
  const { waves: described, counts } = describeRollout(record, waves)
  expect(described.map(({ index, name, total }) => [index, name, total])).toEqual([
    [0, 'canary', 1],
    [1, 'wave 1', 3],
  ])
  expect(counts).toEqual({ ...noMembers, total: 4, succeeded: 1, failed: 2, pending: 1 })
})

test('a failure budget that a resume changed replaces the one of the settings', () => {
  expect(describeRollout(record, []).settings.failureBudget).toBe(4)
})

test('times are ISO 8601 in UTC, and absent while there is none', () => {
  expect(describeRollout(record, [])).toMatchObject({
    createdAt: '2026-06-01T12:00:00.000Z',
    soakUntil: undefined,
    finishedAt: undefined,
  })
  const ended = { ...record, finishedAt: new Date('2026-06-01T13:00:00Z') }
  expect(describeRollout(ended, []).finishedAt).toBe('2026-06-01T13:00:00.000Z')
})
