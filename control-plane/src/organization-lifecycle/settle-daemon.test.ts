import { expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { StoreNotReady, StoreRejection } from '@svc/shared/wire/managed-daemon-store.ts'
import { someDaemon, someSpec } from '../../../test/support/managed-daemon-specs.ts'
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

const orgId = 'org_aaaaaaaaaaaaaaaaaaaaaaaa'
const going = someDaemon({ orgId }, { deletedAt: '2026-06-01T10:00:00.000Z' })

test.each([
  ['is gone', undefined],
  ['is going', going],
])('a resource that %s is a problem, but not while a reinstallation removes it', async (_what, resource) => {
  const noted: string[] = []
  let isReinstalling = true
  const settle = createSettleDaemon({
    store: { find: async () => resource },
    daemons: {
      find: async () => ({ organization_id: orgId, state: 'active', resource_uid: going.uid, last_problem: null }),
      updateProblem: async (_orgId: string, problem: string) => noted.push(problem),
      isReinstalling: async () => isReinstalling,
    },
    findGeneration: async () => 1,
    recordEvent: async (_orgId: string, kind: string) => void noted.push(kind),
    log: createLog({ service: 'test', level: 'silent' }),
  } as unknown as SettleDeps)
  const { signal } = new AbortController()
  expect(await settle(orgId, signal)).toEqual({ againInMs: 5_000 })
  expect(noted).toEqual([])
  isReinstalling = false
  expect(await settle(orgId, signal)).toBeUndefined()
  expect(noted[0]).toMatch(/though nobody deleted it here/)
})

const outdated = {
  url: `http://svc.svc-system.svc.cluster.local:7391/t/${orgId}`,
  keyGeneration: 1,
  acceptedGeneration: 1,
}
const relayUrlOf = (of: string) => `http://svc.svc-system.svc.k8s.example:7391/t/${of}`

test.each([
  ['serves', 'active', {}, 1],
  ['waits for a relay at that address', 'provisioning', {}, 1],
  ['is being deleted', 'deleting', { deletedAt: '2026-06-01T10:00:00.000Z' }, 0],
] as const)('a daemon that %s gets the relay address that is set now', async (_what, state, changes, patches) => {
  const resource = someDaemon({ orgId, relay: { ...outdated }, deletionPolicy: 'delete' }, changes)
  const patched: unknown[] = []
  const settle = createSettleDaemon({
    store: {
      find: async () => resource,
      patchSpec: async (_name: string, _resourceVersion: string, patch: { relay: { url: string } }) => {
        patched.push(patch)
        resource.spec.relay.url = patch.relay.url
      },
    },
    daemons: {
      find: async () => ({
        organization_id: orgId,
        state,
        resource_uid: resource.uid,
        activated_at: null,
        removal_begun: true,
        last_problem: null,
      }),
    },
    findGeneration: async () => 1,
    growthOf: async () => ({ maxSize: undefined, abovePercent: 80 }),
    relayUrlOf,
    log: createLog({ service: 'test', level: 'silent' }),
  } as unknown as SettleDeps)
  for (let pass = 0; pass < 2; pass += 1) await settle(orgId, new AbortController().signal)
  expect(patched).toEqual(Array.from({ length: patches }, () => ({ relay: { url: relayUrlOf(orgId) } })))
})
