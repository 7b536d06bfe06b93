import { expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import { verifies } from '../../../test/requirements.ts'
import { createIdleSleep } from './idle-sleep.domain.ts'

const ORG = 'org_aaaaaaaaaaaaaaaaaaaaaaaa'
const DUE = { orgId: ORG, idleSeconds: null, claimedUntil: new Date() }
const unused = () => Promise.reject(new Error('not called'))

test.each([
  ['is soon due again', async () => {}],
  ['stays claimed when that cannot be recorded', async () => Promise.reject(new Error('no database'))],
])('a daemon whose check fails %s', async (_what, recorded) => {
  verifies('sleep.idle')
  const again: [string, number][] = []
  const { lookAtSome } = createIdleSleep({
    store: { find: () => Promise.reject(new Error('the API server is away')) } as unknown as ManagedDaemonStore,
    unlessBusy: unused,
    wake: unused,
    daemonClient: () => {
      throw new Error('not called')
    },
    events: { insert: unused, findLastAt: unused },
    uses: undefined,
    idleSeconds: 600,
    idleTime: {
      claimDue: async () => [DUE],
      updateClaimed: async ({ orgId }, ms) => {
        again.push([orgId, ms])
        await recorded()
      },
    },
    clock: systemClock,
    log: createLog({ service: 'test', level: 'silent' }),
  })
  expect(await lookAtSome()).toBe(false)
  expect(again).toEqual([[ORG, 15_000]])
})
