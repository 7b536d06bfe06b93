import { expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { StoreNotReady, StoreRejection } from '@svc/shared/wire/managed-daemon-store.ts'
import { someSpec } from '../../../test/support/managed-daemon-specs.ts'
import { createSettleDaemon, type SettleDeps } from './settle-daemon.ts'

test.each([
  ['is not set up', new StoreNotReady('the definition is missing')],
  ['rejects the resource', new StoreRejection('the size is no size')],
])('a new daemon of a store that %s is recorded with the reason, and tried once', async (_what, error) => {
  const problems: (string | null)[] = []
  let creations = 0
  const settle = createSettleDaemon({
    store: {
      find: async () => undefined,
      create: async () => {
        creations += 1
        throw error
      },
    },
    daemons: {
      find: async () => ({ state: 'provisioning', resource_uid: null, last_problem: null }),
      updateProblem: async (_orgId: string, problem: string | null) => problems.push(problem),
    },
    findGeneration: async () => 0,
    describe: async () => someSpec(),
    log: createLog({ service: 'test', level: 'silent' }),
  } as unknown as SettleDeps)
  await settle('org_aaaaaaaaaaaaaaaaaaaaaaaa', new AbortController().signal)
  expect([problems, creations]).toEqual([[error.message], 1])
})
