import { describe, expect, test } from 'vitest'
import { initialStatus, type ManagedDaemonSpec } from '@svc/shared/wire/managed-daemon.ts'
import { someDaemon } from '../../../test/support/managed-daemon-specs.ts'
import { decideProgress, decideTurn } from './decide-member.ts'
import type { MemberUnderWay } from './rollout-members.repository.ts'

const OLD = `registry.example.net/svcd@sha256:${'0'.repeat(64)}`
const NEW = `registry.example.net/svcd@sha256:${'1'.repeat(64)}`
const LATER = `registry.example.net/svcd@sha256:${'2'.repeat(64)}`
const orgId = 'org_aaaaaaaaaaaaaaaaaaaaaaaa'

const daemon = (changes: Partial<ManagedDaemonSpec>, serving: string, deletedAt?: string) =>
  someDaemon({ orgId, image: OLD, ...changes }, { deletedAt, status: { ...initialStatus, image: serving } })

describe('the turn of a member', () => {
  test.each([
    ['rolls a running daemon', daemon({}, OLD), false, { kind: 'roll' }],
    ['defers a sleeping daemon', daemon({ desiredState: 'sleeping' }, OLD), false, { kind: 'defer' }],
    ['rolls a sleeping daemon when it may be woken', daemon({ desiredState: 'sleeping' }, OLD), true, { kind: 'roll' }],
    [
      'skips one that has the image already',
      daemon({ image: NEW }, NEW),
      false,
      { kind: 'skip', reason: 'AlreadyThere' },
    ],
    ['rolls one that wants the image and serves another', daemon({ image: NEW }, OLD), false, { kind: 'roll' }],
    [
      'skips one that is being deleted',
      daemon({}, OLD, '2026-06-01T11:00:00.000Z'),
      true,
      { kind: 'skip', reason: 'Gone' },
    ],
    ['skips one that does not exist', undefined, true, { kind: 'skip', reason: 'Gone' }],
  ])('%s', (_name, found, wakes, decision) =>
    expect(decideTurn(found, { image: NEW, wakes, isSuperseded: false })).toEqual(decision),
  )

  test.each([
    ['skips one that was rolled alone since', daemon({ image: LATER }, LATER), { kind: 'skip', reason: 'Superseded' }],
    [
      'skips it asleep too',
      daemon({ image: LATER, desiredState: 'sleeping' }, LATER),
      { kind: 'skip', reason: 'Superseded' },
    ],
    ['names what has the image by that', daemon({ image: NEW }, NEW), { kind: 'skip', reason: 'AlreadyThere' }],
  ])('%s', (_name, found, decision) =>
    expect(decideTurn(found, { image: NEW, wakes: false, isSuperseded: true })).toEqual(decision),
  )
})

const now = new Date('2026-06-01T12:00:00Z')
const running: Parameters<typeof decideProgress>[1] = { state: 'running', currentWave: 0, now }
const member = (
  operation: MemberUnderWay['operation'],
  ageSeconds: number,
  state: 'rolling' | 'stalled' = 'rolling',
): MemberUnderWay => ({
  isSuperseded: false,
  rolloutId: 'rol_1',
  orgId,
  wave: 0,
  operationId: 'rollout-1',
  beganAt: new Date(now.getTime() - ageSeconds * 1000),
  state,
  operation,
})
const at = (state: NonNullable<MemberUnderWay['operation']>['state'], attempts = 1, reason?: string) => ({
  state,
  attempts,
  reason,
})

describe('the progress of a member', () => {
  test.each<[string, MemberUnderWay, object]>([
    ['succeeds with its operation', member(at('succeeded'), 1), { kind: 'succeeded' }],
    [
      'fails with its operation, for its reason',
      member(at('failed', 1, 'ImageNotFound'), 1),
      { kind: 'failed', reason: 'ImageNotFound' },
    ],
    ['fails without a recorded reason too', member(at('failed'), 1), { kind: 'failed', reason: 'Failed' }],
    ['is asked for again after a temporary failure', member(at('retryable', 2), 1), { kind: 'again' }],
    [
      'fails after three attempts',
      member(at('retryable', 3, 'PodNotReady'), 1),
      { kind: 'failed', reason: 'PodNotReady' },
    ],
    ['waits while an operation has just begun', member(at('executing'), 9), { kind: 'wait' }],
    ['asks again for one whose executor may be gone', member(at('executing'), 11), { kind: 'again' }],
    [
      'stalls after a quarter of an hour',
      member(at('executing'), 15 * 60 + 1),
      { kind: 'stalled', reason: 'executing' },
    ],
    [
      'stalls while another operation has the organization',
      member(undefined, 15 * 60 + 1),
      { kind: 'stalled', reason: 'busy' },
    ],
    ['does not stall twice', member(at('executing'), 15 * 60 + 1, 'stalled'), { kind: 'again' }],
    [
      'is skipped when the organization is busy with what supersedes it',
      { ...member(undefined, 11), isSuperseded: true },
      { kind: 'skipped', reason: 'Superseded' },
    ],
    [
      'goes on when it was under way before that',
      { ...member(at('executing'), 9), isSuperseded: true },
      { kind: 'wait' },
    ],
    ...['OrganizationDeleted', 'Deleting', 'NoManagedDaemon'].map<[string, MemberUnderWay, object]>((reason) => [
      `is no failure of the image: ${reason}`,
      member(at('failed', 1, reason), 1),
      { kind: 'skipped', reason: 'Gone' },
    ]),
    ['succeeds late', member(at('succeeded'), 60 * 60, 'stalled'), { kind: 'succeeded' }],
  ])('%s', (_name, found, decision) => expect(decideProgress(found, running)).toEqual(decision))

  const night = { from: '22:00', to: '05:00', timeZone: 'UTC' }
  test.each<[string, MemberUnderWay, Partial<typeof running>, object]>([
    ['is skipped by an abort', member(undefined, 11), { state: 'aborted' }, { kind: 'skipped', reason: 'Aborted' }],
    [
      'is skipped by an abort when it has stalled',
      member(undefined, 16 * 60, 'stalled'),
      { state: 'aborted' },
      { kind: 'skipped', reason: 'Aborted' },
    ],
    ['returns to its wave at a pause', member(undefined, 16 * 60), { state: 'paused' }, { kind: 'released' }],
    ['returns to its wave at a stop', member(undefined, 11), { state: 'stopped' }, { kind: 'released' }],
    [
      'returns to its wave at the end of the quiet hours',
      member(undefined, 16 * 60),
      { quietHours: night },
      { kind: 'released' },
    ],
    [
      'waits for the next quiet hours after the last wave',
      member(undefined, 16 * 60),
      { state: 'succeeded', quietHours: night },
      { kind: 'wait' },
    ],
    ['waits when its wave is over', member(undefined, 16 * 60), { state: 'paused', currentWave: 1 }, { kind: 'wait' }],
    ['waits when it has stalled', member(undefined, 16 * 60, 'stalled'), { state: 'paused' }, { kind: 'wait' }],
    ['is asked for again when the rollout is over', member(undefined, 11), { state: 'succeeded' }, { kind: 'again' }],
  ])('one that has not begun %s', (_name, found, change, decision) =>
    expect(decideProgress(found, { ...running, ...change })).toEqual(decision),
  )

  test.each(['paused', 'stopped', 'aborted'] as const)('one that has begun is finished when %s', (state) => {
    expect(decideProgress(member(at('retryable', 2), 1), { ...running, state })).toEqual({ kind: 'again' })
    expect(decideProgress(member(at('executing'), 9), { ...running, state })).toEqual({ kind: 'wait' })
  })
})
