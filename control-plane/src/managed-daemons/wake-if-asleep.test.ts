import { expect, test } from 'vitest'
import { initialStatus, managedDaemonName, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { StoreConflict, type ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import { toHostedState } from './hosted-state.ts'
import { createWakeIfAsleep } from './wake-if-asleep.ts'
import { createWakeDaemon } from './wake-daemon.ts'

const ORG = 'org_aaaaaaaaaaaaaaaaaaaaaaaa'
type Desired = ManagedDaemon['spec']['desiredState']

/** One daemon and its resource. `before` is called with each call of the store, before it is carried out. */
function world(desired: Desired, before: (call: string) => void = () => {}) {
  let version = 1
  const state = { desired, isDeleted: false }
  const calls: string[] = []
  const resource = (): ManagedDaemon => ({
    name: managedDaemonName(ORG),
    uid: 'u',
    resourceVersion: String(version),
    generation: version,
    createdAt: '2026-01-01T00:00:00Z',
    ...(state.isDeleted && { deletedAt: '2026-01-01T00:00:00Z' }),
    spec: {
      orgId: ORG,
      orgSlug: 'a',
      image: 'local/svcd@sha256:0',
      desiredState: state.desired,
      relay: { url: 'http://localhost/t/a', keyGeneration: 1, acceptedGeneration: 1 },
      storage: { size: '5Gi' },
      resources: { cpu: '1', memory: '1Gi' },
      paused: false,
      deletionPolicy: 'retain',
    },
    status: { ...initialStatus, observedState: state.desired },
  })
  const called = (call: string) => {
    before(call)
    calls.push(call)
  }
  const store: Pick<ManagedDaemonStore, 'find' | 'patchSpec'> = {
    find: async () => {
      called('find')
      return resource()
    },
    patchSpec: async (name, resourceVersion, patch) => {
      called('patch')
      if (resourceVersion !== String(version)) throw new StoreConflict(name)
      version += 1
      state.desired = patch.desiredState ?? state.desired
      return resource()
    },
  }
  const wake = createWakeDaemon({
    store: store as ManagedDaemonStore,
    recordWake: async () => void calls.push('record'),
  })
  const findHosted = async () => {
    const found = await store.find(managedDaemonName(ORG))
    return { state: toHostedState(found), resource: found }
  }
  return {
    state,
    calls,
    change: () => void (version += 1),
    wakeIfAsleep: () => createWakeIfAsleep({ findHosted, wake })(ORG),
  }
}

test('a sleeping daemon is read once and woken', async () => {
  const { wakeIfAsleep, calls, state } = world('sleeping')
  expect(await wakeIfAsleep()).toBe('sleeping')
  expect(calls).toEqual(['find', 'patch', 'record'])
  expect(state.desired).toBe('running')
})

test('a daemon that runs is left as it is', async () => {
  const { wakeIfAsleep, calls } = world('running')
  expect(await wakeIfAsleep()).toBe('running')
  expect(calls).toEqual(['find'])
})

test('a resource that changed since it was read is read again', async () => {
  const { wakeIfAsleep, calls, state, change } = world('sleeping', (call) => {
    if (call === 'patch' && calls.length === 1) change()
  })
  await wakeIfAsleep()
  expect(calls).toEqual(['find', 'patch', 'find', 'patch', 'record'])
  expect(state.desired).toBe('running')
})

test('a daemon that is deleted meanwhile is not woken', async () => {
  const { wakeIfAsleep, calls, state, change } = world('sleeping', (call) => {
    if (call !== 'patch') return
    state.isDeleted = true
    change()
  })
  await wakeIfAsleep()
  expect(calls).toEqual(['find', 'patch', 'find'])
  expect(state.desired).toBe('sleeping')
})
