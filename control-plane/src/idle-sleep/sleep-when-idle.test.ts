import { expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { initialStatus, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { StoreConflict, type ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import { verifies } from '../../../test/requirements.ts'
import { createSleepWhenIdle } from './sleep-when-idle.ts'

const ORG = 'org_aaaaaaaaaaaaaaaaaaaaaaaa'
const IDLE_SECONDS = 600
/** The calls of one attempt until the daemon is known to sleep unused, in their order. */
const moments = ['find', 'read 1', 'flush', 'forget', 'lock', 'patch', 'record', 'read 2'] as const
type Moment = (typeof moments)[number]

/** One daemon, its resource and its organization. Something may happen right before each call. */
function world(happens: Partial<Record<Moment, (world: World) => void>> = {}) {
  const calls: string[] = []
  let use: string | undefined = 'of the sleep before'
  const at = (moment: Moment) => {
    happens[moment]?.(self)
    calls.push(moment)
  }
  let version = 1
  let requests = 0
  let idleMs = IDLE_SECONDS * 1_000
  let isReachable = true
  let isBusy = false
  let desiredState: ManagedDaemon['spec']['desiredState'] = 'running'
  let observedState: ManagedDaemon['status']['observedState'] = 'running'
  let nowMs = Date.parse('2026-01-01T00:00:00Z')
  let requestedAt: Date | undefined

  const resource = (): ManagedDaemon => ({
    name: 'org-a',
    uid: 'u',
    resourceVersion: String(version),
    generation: version,
    createdAt: '2026-01-01T00:00:00Z',
    spec: {
      orgId: ORG,
      orgSlug: 'a',
      image: 'local/svcd@sha256:0',
      desiredState,
      relay: { url: 'http://localhost/t/a', keyGeneration: 1, acceptedGeneration: 1 },
      storage: { size: '5Gi' },
      resources: { cpu: '1', memory: '1Gi' },
      paused: false,
      deletionPolicy: 'retain',
    },
    status: { ...initialStatus, observedState },
  })
  const activity = async () => {
    if (!isReachable) throw fail('daemon_offline')
    return { sequence: `life-${requests}`, inProgress: 0, idleMs }
  }
  const self = {
    request: () => {
      requests += 1
      idleMs = 0
    },
    change: () => void (version += 1),
    goAway: () => void (isReachable = false),
    begin: () => void (isBusy = true),
    pass: (ms: number) => void (nowMs += ms),
    beginStop: () => void (observedState = 'stopping'),
    stop: () => {
      isReachable = false
      observedState = 'sleeping'
    },
    desired: () => desiredState,
    use: () => use,
    calls,
  }
  const store: Pick<ManagedDaemonStore, 'find' | 'patchSpec'> = {
    find: async () => {
      at('find')
      return resource()
    },
    patchSpec: async (name, resourceVersion) => {
      at('patch')
      if (resourceVersion !== String(version)) throw new StoreConflict(name)
      version += 1
      desiredState = 'sleeping'
      return resource()
    },
  }
  const sleepWhenIdle = createSleepWhenIdle({
    store: store as ManagedDaemonStore,
    readActivity: async () => {
      at(calls.includes('read 1') ? 'read 2' : 'read 1')
      return activity()
    },
    flush: async () => {
      at('flush')
      return activity()
    },
    unlessBusy: async (_orgId, act) => {
      at('lock')
      if (!isBusy) await act()
      return !isBusy
    },
    wake: async () => void (desiredState = 'running'),
    recordSleep: async () => {
      at('record')
      requestedAt = new Date(nowMs)
    },
    findSleepRequest: async () => requestedAt,
    clock: { now: () => new Date(nowMs) },
    uses: {
      record: async (_orgId, activity) => void (use = activity),
      forget: async () => {
        at('forget')
        use = undefined
      },
    },
    log: createLog({ service: 'test', level: 'silent' }),
  })
  return { ...self, sleepWhenIdle: () => sleepWhenIdle(ORG, IDLE_SECONDS) }
}
type World = Omit<ReturnType<typeof world>, 'sleepWhenIdle'>

test('one that nobody uses is flushed before it sleeps', async () => {
  const one = world()
  await one.sleepWhenIdle()
  expect(one.desired()).toBe('sleeping')
  expect(one.calls).toEqual(moments)
  expect(one.use()).toBe('life-0')
})

test.each(moments)('a request right before %s leaves it running', async (moment) => {
  verifies('sleep.aborted')
  const one = world({ [moment]: ({ request }: World) => request() })
  const again = await one.sleepWhenIdle()
  expect(one.desired()).toBe('running')
  expect(again).toBeLessThanOrEqual(IDLE_SECONDS * 1_000)
})

test.each(moments.slice(4))(
  'nothing is known of the use of one that is used right before %s, nor is the sleep before remembered',
  async (moment) => {
    const one = world({ [moment]: ({ request }: World) => request() })
    await one.sleepWhenIdle()
    expect(one.use()).toBeUndefined()
  },
)

test('a worker that dies once it has asked for the sleep leaves nothing of the sleep before', async () => {
  const one = world({
    record: () => {
      throw new Error('killed')
    },
  })
  await expect(one.sleepWhenIdle()).rejects.toThrow('killed')
  expect(one.desired()).toBe('sleeping')
  expect(one.use()).toBeUndefined()
})

test.each(moments.slice(1, 6))(
  'a change of the resource right before %s leaves it to the next look',
  async (moment) => {
    const one = world({ [moment]: ({ change }: World) => change() })
    await one.sleepWhenIdle()
    expect(one.desired()).toBe('running')
  },
)

test.each(moments.slice(0, 5))('an operation that begins right before %s is not disturbed', async (moment) => {
  const one = world({ [moment]: ({ begin }: World) => begin() })
  await one.sleepWhenIdle()
  expect(one.desired()).toBe('running')
  expect(one.calls).not.toContain('patch')
})

test.each<[Moment, ManagedDaemon['spec']['desiredState']]>([
  ['read 1', 'running'],
  ['flush', 'running'],
  ['read 2', 'sleeping'],
])('a daemon that cannot be reached before %s ends %s', async (moment, wanted) => {
  const one = world({ [moment]: ({ goAway }: World) => goAway() })
  await one.sleepWhenIdle()
  expect(one.desired()).toBe(wanted)
  expect(one.use()).toBe(wanted === 'running' ? 'of the sleep before' : undefined)
})

test('a request until it has stopped wakes it, and nothing is known of its use', async () => {
  verifies('sleep.aborted')
  const one = world()
  expect(await one.sleepWhenIdle()).toBe(2_000)
  expect(await one.sleepWhenIdle()).toBe(2_000)
  expect([one.desired(), one.use()]).toEqual(['sleeping', 'life-0'])

  one.request()
  await one.sleepWhenIdle()
  expect([one.desired(), one.use()]).toEqual(['running', undefined])
})

test('one that nobody stops is looked at soon for half a minute, then less often until it stops', async () => {
  verifies('sleep.aborted')
  const one = world()
  const lookAfter = async (ms: number) => {
    one.pass(ms)
    return one.sleepWhenIdle()
  }
  expect([await lookAfter(0), await lookAfter(2_000), await lookAfter(27_999)]).toEqual([2_000, 2_000, 2_000])
  expect([await lookAfter(1), await lookAfter(3_600_000)]).toEqual([30_000, 30_000])
  one.goAway()
  expect(await lookAfter(30_000)).toBe(30_000)
  one.beginStop()
  expect(await lookAfter(30_000)).toBe(2_000)
})

test('a request to one that nobody stops still wakes it', async () => {
  verifies('sleep.aborted')
  const one = world()
  await one.sleepWhenIdle()
  one.pass(3_600_000)
  await one.sleepWhenIdle()
  one.request()
  await one.sleepWhenIdle()
  expect([one.desired(), one.use()]).toEqual(['running', undefined])
})

test('one that has stopped unused is left alone', async () => {
  const one = world()
  await one.sleepWhenIdle()
  one.goAway()
  expect(await one.sleepWhenIdle()).toBe(2_000)
  one.stop()
  expect(await one.sleepWhenIdle()).toBe(30 * 60_000)
  expect([one.desired(), one.use()]).toEqual(['sleeping', 'life-0'])
})

test('an operation that puts it to sleep, or waits for that, is not disturbed', async () => {
  const one = world()
  await one.sleepWhenIdle()
  one.begin()
  one.request()
  expect(await one.sleepWhenIdle()).toBe(2_000)
  expect([one.desired(), one.use()]).toEqual(['sleeping', undefined])
})
