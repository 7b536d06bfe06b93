import { expect, test } from 'vitest'
import type { MemberCounts } from '@svc/shared/wire/admin/rollouts.api.ts'
import { planStep, type RolloutFacts, type RolloutStep } from './plan-step.ts'

const now = new Date('2026-06-01T12:00:00Z')
const counts = (change: Partial<MemberCounts> = {}): MemberCounts => ({
  total: 10,
  pending: 0,
  rolling: 0,
  succeeded: 0,
  failed: 0,
  stalled: 0,
  deferred: 0,
  skipped: 0,
  ...change,
})
const facts = (change: Partial<RolloutFacts>): RolloutFacts => ({
  state: 'running',
  currentWave: 0,
  lastWave: 3,
  soakUntil: undefined,
  soakSeconds: 300,
  concurrency: 5,
  failureBudget: 1,
  failuresBorne: 0,
  quietHours: undefined,
  wave: counts(),
  all: counts(),
  now,
  ...change,
})
const noon = { from: '11:00', to: '13:00', timeZone: 'UTC' }
const night = { from: '22:00', to: '05:00', timeZone: 'UTC' }

test.each<[string, Partial<RolloutFacts>, RolloutStep]>([
  ['begins as many as there are slots', { wave: counts({ pending: 9 }) }, { kind: 'roll', slots: 5, wakes: false }],
  [
    'waits while all slots are taken',
    { wave: counts({ pending: 9 }), all: counts({ rolling: 5 }) },
    { kind: 'wait', ms: 2_000, reason: 'Rolling' },
  ],
  [
    'bears as many failures as the budget says',
    { wave: counts({ pending: 1 }), all: counts({ failed: 1 }) },
    { kind: 'roll', slots: 5, wakes: false },
  ],
  [
    'stops at one failure more',
    { wave: counts({ pending: 1 }), all: counts({ failed: 2 }) },
    { kind: 'stop', reason: 'FailureBudgetSpent' },
  ],
  [
    'counts stalled ones as failures',
    { all: counts({ failed: 1, stalled: 1 }) },
    { kind: 'stop', reason: 'FailureBudgetSpent' },
  ],
  [
    'does not count what was accepted by resuming',
    { wave: counts({ pending: 1 }), all: counts({ failed: 3 }), failuresBorne: 3 },
    { kind: 'roll', slots: 5, wakes: false },
  ],
  [
    'waits for the last of a wave',
    { wave: counts({ rolling: 1 }), all: counts({ rolling: 1 }) },
    { kind: 'wait', ms: 2_000, reason: 'Rolling' },
  ],
  ['soaks after a wave', { wave: counts({ succeeded: 1 }) }, { kind: 'soak', until: new Date('2026-06-01T12:05:00Z') }],
  [
    'waits while it soaks',
    { wave: counts({ succeeded: 1 }), soakUntil: new Date('2026-06-01T12:01:00Z') },
    { kind: 'wait', ms: 60_000, reason: 'Soaking' },
  ],
  ['goes on after the soak', { wave: counts({ succeeded: 1 }), soakUntil: now }, { kind: 'next_wave' }],
  ['does not soak a wave that slept', { wave: counts({ deferred: 3 }) }, { kind: 'next_wave' }],
  ['does not soak without soak time', { wave: counts({ succeeded: 1 }), soakSeconds: 0 }, { kind: 'next_wave' }],
  [
    'finishes after the last wave, whoever sleeps',
    { currentWave: 3, wave: counts({ deferred: 2, succeeded: 8 }) },
    { kind: 'finish' },
  ],
  [
    'waits for quiet hours',
    { wave: counts({ pending: 1 }), quietHours: night },
    { kind: 'wait', ms: 36_000_000, reason: 'OutsideQuietHours' },
  ],
  [
    'wakes sleepers in quiet hours',
    { wave: counts({ pending: 1 }), quietHours: noon },
    { kind: 'roll', slots: 5, wakes: true },
  ],
  ['rests when paused', { state: 'paused', wave: counts({ pending: 3 }) }, { kind: 'rest' }],
  [
    'sees rolls under way to their end when paused',
    { state: 'paused', all: counts({ rolling: 1 }) },
    { kind: 'wait', ms: 2_000, reason: 'Rolling' },
  ],
  [
    'rolls deferred ones in quiet hours after the end',
    { state: 'succeeded', quietHours: noon, all: counts({ deferred: 7 }) },
    { kind: 'roll_deferred', slots: 5 },
  ],
  [
    'leaves deferred ones to their wake otherwise',
    { state: 'succeeded', all: counts({ deferred: 7 }) },
    { kind: 'rest' },
  ],
  [
    'stops also when late rolls fail',
    { state: 'succeeded', all: counts({ deferred: 7, failed: 2 }) },
    { kind: 'stop', reason: 'FailureBudgetSpent' },
  ],
  ['has nothing to stop once none is deferred', { state: 'succeeded', all: counts({ failed: 2 }) }, { kind: 'rest' }],
  [
    'sees the last rolls to their end then',
    { state: 'succeeded', all: counts({ failed: 2, stalled: 1 }) },
    { kind: 'wait', ms: 2_000, reason: 'Rolling' },
  ],
])('%s', (_name, change, step) => expect(planStep(facts(change))).toEqual(step))
