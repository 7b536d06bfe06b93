import { afterAll, beforeAll, expect, test } from 'vitest'
import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import { StoreUnavailable, type ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import { changeSpec } from '../support/change-spec.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import type { Answer, Person } from '../support/person.ts'
import { startSmallOperator } from '../support/small-operator.ts'
import { until } from '../support/until.ts'

const SLUG = 'sleepy'
let cp: TestControlPlane
let stopOperator: () => Promise<void>
let ada: Person
let orgId = ''
let isAway = false

/** The store as the control plane has it: while it is away, every request fails. */
const wrapStore = (store: ManagedDaemonStore): ManagedDaemonStore => {
  const reached =
    <Args extends unknown[], T>(request: (...args: Args) => Promise<T>) =>
    async (...args: Args) => {
      if (isAway) throw new StoreUnavailable('connect ECONNREFUSED 10.0.0.1:443')
      return request(...args)
    }
  const { find, list, create, patchSpec, remove } = store
  return {
    ...store,
    find: reached(find),
    list: reached(list),
    create: reached(create),
    patchSpec: reached(patchSpec),
    remove: reached(remove),
  }
}

beforeAll(async () => {
  cp = await startControlPlane({ working: true, wrapStore })
  stopOperator = startSmallOperator(cp.store)
  ada = cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  const made = await ada.post('/api/provisioning/orgs/cloud-hosted/comped', { name: 'Sleepy', slug: SLUG })
  orgId = made.body.organization.id
  await until('it runs', async () => (await status()).body.status?.observedState === 'running')
  await changeSpec(cp.store, managedDaemonName(orgId), { desiredState: 'sleeping' })
  await until('it sleeps', async () => (await status()).body.status?.observedState === 'sleeping')
})
afterAll(async () => {
  await stopOperator()
  await cp.stop()
})

const status = (): Promise<Answer> => ada.get(`/api/orgs/${SLUG}/hosted/status`)
const answerOf = ({ status: code, headers, body }: Answer) => [code, body.error?.code, headers['retry-after']]

test('while the store of the daemons is away, people are told to come again, and nothing of it is a bug', async () => {
  isAway = true
  expect(answerOf(await status())).toEqual([503, 'store_unavailable', '5'])
  expect(answerOf(await ada.post(`/api/orgs/${SLUG}/hosted/wake`))).toEqual([503, 'store_unavailable', '5'])
  expect(answerOf(await ada.post(`/api/orgs/${SLUG}/vaults/demo-vault/entry`))).toEqual([503, 'daemon_waking', '2'])
  expect((await ada.get('/api/vaults')).status).toBe(200)
  const dial = { headers: { authorization: 'Bearer svc_dmn_wrong' } }
  expect(await cp.raw('GET', `/t/${orgId}`, dial)).not.toMatchObject({ status: 500 })
  expect(cp.logged()).not.toContain('failed unexpectedly')

  isAway = false
  expect((await status()).body.status.desiredState).toBe('sleeping')
  expect((await ada.post(`/api/orgs/${SLUG}/hosted/wake`)).status).toBeLessThan(300)
  expect((await cp.store.find(managedDaemonName(orgId)))?.spec.desiredState).toBe('running')
})
