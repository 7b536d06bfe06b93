import { expect, it } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { verifies } from '../../test/requirements.ts'
import { kinds, type KubeObject } from './kinds.ts'
import type { KubeClient } from './kube-client.ts'
import { Reflector } from './reflector.ts'
import type { ReflectorTiming } from './reflector-options.ts'

const log = createLog({ service: 'test', level: 'silent' })
const object = (name: string, resourceVersion: string, uid = name): KubeObject => ({
  metadata: { name, uid, resourceVersion, labels: { of: resourceVersion } },
})

type Page = { items: KubeObject[]; resourceVersion: string }
/** A reflector over an API of one collection, whose watch is silent: `late` arrives after the first watch is aborted. */
function followed(pages: () => Page[], timing: Partial<ReflectorTiming> = {}, late?: string) {
  let waiting = late
  const watchedFrom: unknown[] = []
  const told: string[] = []
  const client: KubeClient = {
    async request<T>({ query }: Parameters<KubeClient['request']>[0]) {
      const all = pages()
      const number = Number(query?.continue ?? 0)
      const { items, resourceVersion } = all[number]!
      told.push(`page ${number}`)
      const next = number + 1 < all.length ? String(number + 1) : undefined
      return { metadata: { resourceVersion, continue: next }, items } as T
    },
    async follow({ signal, query }, onLine) {
      watchedFrom.push(query?.resourceVersion)
      signal?.throwIfAborted()
      await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }))
      if (waiting !== undefined) onLine(waiting)
      waiting = undefined
    },
  }
  let synced = () => {}
  const isSynced = new Promise<void>((resolve) => (synced = resolve))
  const reflector = new Reflector<KubeObject>({
    client,
    clock: systemClock,
    log,
    random: () => 0.5,
    kind: kinds.pod,
    namespace: 'daemons',
    timing,
    trim: ({ metadata: { name, uid, resourceVersion } }) => {
      told.push(`trim ${name}`)
      return { metadata: { name, uid, resourceVersion } }
    },
    onEvent: (event) => (event.type === 'synced' ? synced() : told.push(`${event.type} ${event.object.metadata.name}`)),
  })
  reflector.start()
  return { reflector, told, isSynced, watchedFrom }
}

it('trims each page as it arrives, so that no listing holds whole objects', async () => {
  const { reflector, told, isSynced } = followed(() => [
    { items: [object('a', '1'), object('b', '2')], resourceVersion: '9' },
    { items: [object('c', '3')], resourceVersion: '9' },
  ])
  await isSynced
  expect(told.filter((each) => !each.startsWith('upserted'))).toEqual([
    'page 0',
    'trim a',
    'trim b',
    'page 1',
    'trim c',
  ])
  expect(reflector.find('c')).toEqual({ metadata: { name: 'c', uid: 'c', resourceVersion: '3' } })
  await reflector.stop()
})

it('trims the response to a write of ours', async () => {
  const { reflector, isSynced } = followed(() => [{ items: [object('a', '1')], resourceVersion: '1' }])
  await isSynced
  reflector.accept(object('a', '2'))
  expect(reflector.find('a')).toEqual({ metadata: { name: 'a', uid: 'a', resourceVersion: '2' } })
  await reflector.stop()
})

it('asks the API again for an object that a deletion of ours has removed', async () => {
  const { reflector, told, isSynced } = followed(() => [{ items: [object('a', '1')], resourceVersion: '1' }])
  await isSynced
  reflector.forget(object('a', '1', 'another'))
  expect(reflector.find('a')).toBeDefined()
  reflector.forget(object('a', '1'))
  expect(reflector.find('a')).toBeUndefined()
  expect(told.at(-1)).toBe('removed a')
  await reflector.stop()
})

const versionOf = (reflector: Reflector<KubeObject>) => reflector.find('a')?.metadata.resourceVersion

const restored: [string, Page][] = [
  ['at once', { items: [object('a', '40')], resourceVersion: '45' }],
  ['and has written more than before', { items: [object('a', '40')], resourceVersion: '70' }],
]
it.each(restored)('follows an API that was restored from a backup %s, though versions fall', async (_when, after) => {
  verifies('operator.restored-cluster')
  let page: Page = { items: [object('a', '50')], resourceVersion: '60' }
  const { reflector, told, isSynced } = followed(() => [page], { silenceMs: 40 })
  await isSynced
  page = after
  await expect.poll(() => versionOf(reflector)).toBe('40')
  expect(told.filter((each) => each.endsWith(' a') && !each.startsWith('trim'))).toEqual([
    'upserted a',
    'removed a',
    'upserted a',
  ])
  await reflector.stop()
})

it.each(restored)('finds by its checks that an API was restored from a backup %s', async (_when, after) => {
  let page: Page = { items: [object('a', '50')], resourceVersion: '60' }
  const { reflector, isSynced } = followed(() => [page], { relistMs: 20, graceMs: 1 })
  await isSynced
  page = after
  await expect.poll(() => versionOf(reflector)).toBe('40')
  await reflector.stop()
})

it('keeps the response to a write that is newer than a listing', async () => {
  let listings = 0
  const page = { items: [object('a', '50')], resourceVersion: '70' }
  const { reflector, isSynced } = followed(
    () => {
      // The write is done between the listing and its arrival.
      if (++listings === 2) reflector.accept(object('a', '80'))
      return [listings < 3 ? page : { items: [object('a', '80')], resourceVersion: '90' }]
    },
    { relistMs: 20, graceMs: 1 },
  )
  await isSynced
  await expect.poll(() => listings).toBeGreaterThan(2)
  expect(versionOf(reflector)).toBe('80')
  await reflector.stop()
})

it('lists after an aborted watch, though lines of that watch arrive later', async () => {
  verifies('operator.restored-cluster')
  let page: Page = { items: [object('a', '50')], resourceVersion: '60' }
  const late = JSON.stringify({ type: 'MODIFIED', object: object('a', '80') })
  const { reflector, isSynced, watchedFrom } = followed(() => [page], { silenceMs: 40 }, late)
  await isSynced
  page = { items: [object('a', '40')], resourceVersion: '45' }
  await expect.poll(() => watchedFrom.slice(0, 2), { timeout: 10_000 }).toEqual(['60', '45'])
  expect(versionOf(reflector)).toBe('40')
  await reflector.stop()
})
