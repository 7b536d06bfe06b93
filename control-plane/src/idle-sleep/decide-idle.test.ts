import { describe, expect, test } from 'vitest'
import { initialStatus, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { verifies } from '../../../test/requirements.ts'
import { decideAsking, decideIdle, decideStopping, isUntouched, isUsedAgain } from './decide-idle.ts'

const running: ManagedDaemon = {
  name: 'org-a',
  uid: 'u',
  resourceVersion: '1',
  generation: 1,
  createdAt: '2026-01-01T00:00:00Z',
  spec: {
    orgId: 'org_aaaaaaaaaaaaaaaaaaaaaaaa',
    orgSlug: 'a',
    image: 'local/svcd@sha256:0',
    desiredState: 'running',
    relay: { url: 'http://localhost/t/a', keyGeneration: 1, acceptedGeneration: 1 },
    storage: { size: '5Gi' },
    resources: { cpu: '1', memory: '1Gi' },
    paused: false,
    deletionPolicy: 'retain',
  },
  status: { ...initialStatus, observedState: 'running' },
}
const spec = (change: Partial<ManagedDaemon['spec']>): ManagedDaemon => ({
  ...running,
  spec: { ...running.spec, ...change },
})
const observed = (observedState: ManagedDaemon['status']['observedState']): ManagedDaemon => ({
  ...running,
  status: { ...running.status, observedState },
})
const toSleep = (observedState: ManagedDaemon['status']['observedState']): ManagedDaemon => ({
  ...observed(observedState),
  spec: { ...running.spec, desiredState: 'sleeping' },
})
const idle = (idleMs: number, inProgress = 0) => ({ sequence: 'a-1', inProgress, idleMs })

const losing: ManagedDaemon = {
  ...running,
  status: {
    ...running.status,
    conditions: [
      {
        type: 'Degraded',
        status: 'True',
        reason: 'VolumeLost',
        message: '',
        observedGeneration: 1,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  },
}

describe('asking', () => {
  test.each<[string, number, ManagedDaemon | undefined, number | 'asks' | 'is stopping']>([
    ['one that runs is asked', 600, running, 'asks'],
    ['an organization that never sleeps is not asked', 0, running, 1_800_000],
    ['one that is asleep is left alone', 600, toSleep('sleeping'), 1_800_000],
    ['one that cannot start to stop is left alone', 600, toSleep('provisioning'), 1_800_000],
    ['one that has yet to stop is asked', 600, toSleep('running'), 'is stopping'],
    ['one that stops is asked', 600, toSleep('stopping'), 'is stopping'],
    ['one that is paused is left alone', 600, spec({ paused: true }), 1_800_000],
    ['one that goes is left alone', 600, { ...running, deletedAt: '2026-01-01T00:00:00Z' }, 1_800_000],
    ['one without a resource is left alone', 600, undefined, 1_800_000],
    ['one that starts is looked at again soon', 600, observed('starting'), 30_000],
    ['one that is degraded is not put to sleep', 10, observed('degraded'), 10_000],
    ['one that has the only copy of its volume is left alone', 10, losing, 1_800_000],
  ])('%s', (_what, seconds, daemon, wanted) => {
    const observedState = daemon?.status.observedState
    const known = { asks: { kind: 'go_on' }, 'is stopping': { kind: 'stopping', observedState } }
    expect(decideAsking(seconds, daemon)).toEqual(
      typeof wanted === 'number' ? { kind: 'later', afterMs: wanted } : known[wanted],
    )
  })

  test.each<[string, ManagedDaemon['status']['observedState'], number, number]>([
    ['right after the request', 'running', 0, 2_000],
    ['half a minute later', 'running', 30_000, 30_000],
    ['half a minute later while it does not serve', 'degraded', 30_000, 30_000],
    ['while it stops', 'stopping', 600_000, 2_000],
  ])('one that has yet to stop: %s', (_what, observedState, sinceRequestMs, wanted) => {
    expect(decideStopping(observedState, sinceRequestMs)).toBe(wanted)
  })
})

describe('idle time', () => {
  verifies('sleep.idle')
  test.each<[string, ReturnType<typeof idle> | undefined, number | 'sleeps']>([
    ['idle for exactly the idle time: sleeps', idle(600_000), 'sleeps'],
    ['idle for less: looks again when it would be idle', idle(599_000), 1_000],
    ['a request is being answered: stays awake', idle(0, 1), 600_000],
    ['does not answer, or is of an older version: stays awake', undefined, 600_000],
  ])('%s', (_what, activity, wanted) => {
    expect(decideIdle(600, activity)).toEqual(
      wanted === 'sleeps' ? { kind: 'go_on' } : { kind: 'later', afterMs: wanted },
    )
  })

  test.each<[string, ReturnType<typeof idle> | undefined, boolean]>([
    ['nobody came', idle(600_100), false],
    ['a request came and went', idle(5), true],
    ['a request is being answered', idle(0, 1), true],
    ['the daemon has stopped', undefined, false],
  ])('after it was put to sleep %s', (_what, now, wanted) => {
    expect(isUsedAgain(600, now)).toBe(wanted)
  })

  test.each<[string, ReturnType<typeof idle> | undefined, boolean]>([
    ['nothing happened', idle(600_100), true],
    ['a request came and went', { ...idle(5), sequence: 'a-2' }, false],
    ['a request is being answered', { ...idle(0, 1), sequence: 'a-1' }, false],
    ['the daemon was restarted', { ...idle(600_100), sequence: 'b-1' }, false],
    ['the daemon does not say', undefined, false],
  ])('between the look and the flush %s', (_what, now, wanted) => {
    expect(isUntouched(idle(600_000), now)).toBe(wanted)
  })
})
