import { expect, test } from 'vitest'
import { KubeError } from '@svc/kube/src/kube-error.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import {
  StoreConflict,
  StoreNotReady,
  StoreUnavailable,
  type ManagedDaemonStore,
} from '@svc/shared/wire/managed-daemon-store.ts'
import { reportUnavailable } from './report-unavailable.ts'

const kube = (status: number) => new KubeError({ status, reason: '', message: `status ${status}` })
const coded = (code: string) => Object.assign(new Error(code), { code })

/** A store of which every request throws what `failure` is at that time. */
function setUp(first: Error | undefined) {
  const world = { failure: first }
  const logged: string[] = []
  const log = createLog({ service: 'test', level: 'info', destination: { write: (line) => void logged.push(line) } })
  const request = async () => {
    if (world.failure !== undefined) throw world.failure
    return undefined as never
  }
  const requests = { find: request, list: request, create: request, patchSpec: request, remove: request }
  const store = reportUnavailable<Pick<ManagedDaemonStore, keyof typeof requests>>(requests, log)
  return { world, store, levels: () => logged.map((line) => (JSON.parse(line) as { level: string }).level) }
}

test.each([
  ['a server error', kube(500)],
  ['an overloaded API', kube(503)],
  ['a limit of the API', kube(429)],
  ['a token that is not taken', kube(401)],
  ['a refused read', kube(403)],
  ['a refused connection', coded('ECONNREFUSED')],
  ['a host that is down', coded('EHOSTDOWN')],
  ['a lost connection', coded('UND_ERR_SOCKET')],
  ['an unknown name', coded('ENOTFOUND')],
  ['a time limit', new DOMException('no answer within 30000 ms', 'TimeoutError')],
])('%s means that the store is away', async (_name, failure) => {
  const { store } = setUp(failure)
  for (const request of [store.find('a'), store.list(), store.patchSpec('a', '1', {}), store.remove('a')]) {
    const thrown = await request.catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(StoreUnavailable)
    expect((thrown as Error).cause).toBe(failure)
  }
})

test.each([
  ['a conflict', new StoreConflict('a')],
  ['missing rights', new StoreNotReady('cannot patch')],
  ['a bug', new TypeError('x is not a function')],
  ['an error of a call', coded('ERR_INVALID_ARG_TYPE')],
])('%s is passed on', async (_name, failure) => {
  const { store, levels } = setUp(failure)
  await expect(store.find('a')).rejects.toBe(failure)
  expect(levels()).toEqual([])
})

test('an outage is logged once, and its end', async () => {
  const { world, store, levels } = setUp(coded('ECONNREFUSED'))
  await expect(store.find('a')).rejects.toThrow(StoreUnavailable)
  await expect(store.list()).rejects.toThrow(StoreUnavailable)
  expect(levels()).toEqual(['warn'])
  world.failure = undefined
  await store.find('a')
  await store.list()
  expect(levels()).toEqual(['warn', 'info'])
  world.failure = kube(500)
  await expect(store.list()).rejects.toThrow(StoreUnavailable)
  expect(levels()).toEqual(['warn', 'info', 'warn'])
})
