import { afterAll, beforeAll, expect, test } from 'vitest'
import { findCondition, managedDaemonName, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { kinds, pathOf } from '@svc/kube/src/kinds.ts'
import { verifies } from '../requirements.ts'
import { ADMIN_TOKEN, hostedCluster } from '../support/hosted-cluster.ts'
import { startCluster, type TestCluster } from '../support/kubernetes.ts'
import { PASSWORD, type Answer, type Person } from '../support/person.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { until } from '../support/until.ts'

let cluster: TestCluster
let platform: Awaited<ReturnType<typeof hostedCluster>>
let person: Person
let org: { id: string; slug: string }
let name: string

beforeAll(async () => {
  cluster = await startCluster()
  platform = await hostedCluster({ cluster, namespace: 'svc-daemons' })
  person = platform.person()
  expect((await person.signUp({ email: 'grace@example.org' })).status).toBe(200)
})
afterAll(async () => {
  await platform?.stop()
  await cluster?.stop()
})

const settled = ({ status, generation }: ManagedDaemon) =>
  status.observedState === 'running' &&
  status.observedGeneration === generation &&
  findCondition(status, 'Progressing')?.status === 'False'

/** Enters the vault as the app does, and requests a page of its origin. */
async function entered(): Promise<
  (method: string, path: string, call?: { body?: string; headers?: Record<string, string> }) => Promise<Answer>
> {
  const { body } = await person.post(`/api/orgs/${org.slug}/vaults/demo-vault/entry`)
  const { url, assertion } = body.entry as { url: string; assertion: string }
  const { host, pathname, origin } = new URL(url)
  const form = new URLSearchParams({ assertion }).toString()
  const enter = await platform.raw('POST', pathname, {
    headers: { host, origin: platform.origin, 'content-type': 'application/x-www-form-urlencoded' },
    body: form,
  })
  expect(enter.status).toBe(303)
  const cookie = String(enter.headers['set-cookie']?.[0]).split(';')[0] ?? ''
  return (method, path, { body, headers } = {}) =>
    platform.raw(method, path, { headers: { host, origin, cookie, ...headers }, body })
}
const README = '/api/vaults/demo-vault/notes/README.md'

test('a hosted organization gets its daemon, and its vault is entered through the relay', async () => {
  const created = await person.post('/api/provisioning/orgs/cloud-hosted/comped', { name: 'On Kubernetes' })
  expect(created.status).toBe(201)
  org = created.body.organization
  name = managedDaemonName(org.id)
  await until('the resource', async () => (await platform.world.store.find(name)) !== undefined)
  const { status } = await platform.world.reaches(name, 'running', settled)
  expect(status).toMatchObject({ image: platform.image, version: expect.stringMatching(/-a$/) })

  const ask = await entered()
  const read = await ask('GET', README)
  expect(read.status).toBe(200)
  const written = await ask('PUT', README, {
    headers: { 'content-type': 'application/json', 'if-match': `"${read.body.note.baseline}"` },
    body: JSON.stringify({ content: '# Kept through everything\n' }),
  })
  expect(written.status).toBe(200)
})

test('a roll by the administrator moves it to another image, with another key on the same volume', async () => {
  verifies('hosted.reaches-running')
  const image = await platform.daemonImage('b')
  const roll = async () =>
    platform.raw('POST', `/api/admin/managed-daemons/${org.id}/image`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ image, confirmation: org.id, operationId: 'roll-journey-1', reason: 'journey' }),
    })
  let answer = await roll()
  await until('the roll', async () => (answer = await roll()).status !== 409, { everyMs: 500 })
  expect(answer.body).toMatchObject({ ok: true })
  const { status } = await platform.world.reaches(name, 'settled', settled)
  expect(status).toMatchObject({ image, version: expect.stringMatching(/-b$/), operation: { outcome: 'succeeded' } })
  expect(status.relay?.keys.map(({ generation }) => generation)).toEqual([2])
  expect((await (await entered())('GET', README)).body.note.content).toBe('# Kept through everything\n')
})

test('a roll without an id that the cluster refused is repeated once the cluster allows it', async () => {
  const { world } = platform
  const image = await platform.daemonImage('c')
  const admission = '/apis/admissionregistration.k8s.io/v1'
  const [policy, binding] = ['validatingadmissionpolicies', 'validatingadmissionpolicybindings']
  const metadata = { name: 'not-this-image' }
  const resource = { apiGroups: ['*'], apiVersions: ['*'], operations: ['UPDATE'], resources: ['manageddaemons'] }
  const spec = {
    matchConstraints: { resourceRules: [resource] },
    validations: [{ expression: `object.spec.image != '${image}'` }],
  }
  await world.admin.request({ method: 'POST', path: `${admission}/${policy}`, body: { metadata, spec } })
  const bound = { metadata, spec: { policyName: metadata.name, validationActions: ['Deny'] } }
  await world.admin.request({ method: 'POST', path: `${admission}/${binding}`, body: bound })
  const isAllowed = () =>
    world.admin
      .request({
        method: 'PATCH',
        patch: 'merge',
        path: pathOf(kinds.managedDaemon, world.namespace, name),
        query: { dryRun: 'All' },
        body: { spec: { image } },
      })
      .then(
        () => true,
        () => false,
      )
  await until('the policy', async () => !(await isAllowed()))

  const roll = () =>
    platform.raw('POST', `/api/admin/managed-daemons/${org.id}/image`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ image, confirmation: org.id }),
    })
  let answer = await roll()
  await until('the refusal', async () => (answer = await roll()).body.error?.code === 'operation_failed')
  expect(answer.body.error.details).toMatchObject({ reason: 'ResourceRejected' })

  await world.admin.request({ method: 'DELETE', path: `${admission}/${binding}/${metadata.name}` })
  await until('the end of the policy', isAllowed)
  await until('the roll', async () => (answer = await roll()).status !== 409, { everyMs: 500 })
  expect(answer.body).toMatchObject({ ok: true })
  await world.reaches(name, 'settled', (daemon) => settled(daemon) && daemon.status.image === image)
})

test('it sleeps and wakes with its content, grows, and rotates its key without a restart', async () => {
  const { world } = platform
  await world.patch(name, { desiredState: 'sleeping' })
  await world.reaches(name, 'asleep', ({ status }) => status.observedState === 'sleeping')
  await world.patch(name, { storage: { size: '128Mi' } })
  await world.patch(name, { desiredState: 'running' })
  await world.reaches(
    name,
    'awake and grown',
    (daemon) => settled(daemon) && daemon.status.storage?.capacityBytes === 128 * 2 ** 20,
  )

  const starts = world.kubelet.started.length
  await world.patch(name, { relay: { keyGeneration: 3 } })
  await world.reaches(
    name,
    'rotated',
    (daemon) =>
      settled(daemon) && daemon.status.relay?.keys[0]?.generation === 3 && daemon.status.relay.keys.length === 1,
  )
  expect(world.kubelet.started).toHaveLength(starts)
  expect((await (await entered())('GET', README)).body.note.content).toBe('# Kept through everything\n')
})

test('it connects again after its Secret was deleted, with a key that went through acceptance', async () => {
  verifies('operator.key-lost')
  const { world } = platform
  const before = await world.read(name)
  const accepted = before.spec.relay.acceptedGeneration
  const path = `${pathOf(kinds.secret, world.namespace)}/${name}-relay`
  await world.admin.request({ method: 'DELETE', path })

  const { spec, status } = await world.reaches(
    name,
    'another key',
    (daemon) =>
      settled(daemon) &&
      daemon.spec.relay.acceptedGeneration === accepted + 1 &&
      findCondition(daemon.status, 'KeyRotated')?.status === 'True',
  )
  expect(spec.relay.keyGeneration).toBe(accepted + 1)
  expect(status.relay?.keys).toEqual([{ generation: accepted + 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) }])
  expect(status.relay?.keys[0]?.hash).not.toBe(before.status.relay?.keys[0]?.hash)

  // A restarted process has nothing but the mounted key.
  const starts = world.kubelet.started.length
  world.kubelet.kill(`${name}-0`)
  await until('the daemon starts again', () => world.kubelet.started.length > starts)
  await world.reaches(
    name,
    'connected again',
    (daemon) => settled(daemon) && findCondition(daemon.status, 'RelayConnected')?.status === 'True',
  )
  expect((await (await entered())('GET', README)).body.note.content).toBe('# Kept through everything\n')
})

test('deleted by hand on the cluster it is reported, and reinstalled on the volume that was kept', async () => {
  verifies('operator.resource-lost')
  const { world } = platform
  const admin = await platform.systemAdmin()
  const inventory = async () => (await admin.get(`/api/admin/managed-daemons?orgId=${org.id}`)).body.daemons[0]
  const volume = (await world.get(kinds.volumeClaim, `${name}-home`))?.metadata.uid
  const before = await world.read(name)

  await world.admin.request({ method: 'DELETE', path: pathOf(kinds.managedDaemon, world.namespace, name) })
  await until('the report', async () => (await inventory()).problem?.includes('reinstall'))
  await until('the inventory has it', async () => (await inventory()).daemon === null)
  const losses = async () => {
    const { events } = (await admin.get(`/api/admin/managed-daemons/${org.id}/events?limit=100`)).body
    return events.filter(({ kind }: { kind: string }) => kind === 'resource_lost').length
  }
  // The problem is stored before its event.
  await until('the event', async () => (await losses()) > 0)
  expect(await losses()).toBe(1)
  expect((await person.get(`/api/orgs/${org.slug}/hosted/status`)).body.status.observedState).toBe('failed')
  expect(await world.get(kinds.pod, `${name}-0`)).toBeUndefined()
  expect((await world.get(kinds.volumeClaim, `${name}-home`))?.metadata.uid).toBe(volume)

  const request = { operationId: 'reinstall-journey-1', reason: 'deleted by hand', confirmation: org.slug }
  const ask = () => admin.post(`/api/admin/managed-daemons/${org.id}/reinstall`, request)
  let answer = await ask()
  await until('the reinstallation', async () => (answer = await ask()).status === 200, { everyMs: 500 })
  expect(answer.body).toMatchObject({ ok: true, image: before.spec.image, observedState: 'running' })

  const { uid, spec } = await world.reaches(name, 'settled', settled)
  expect(uid).not.toBe(before.uid)
  expect(spec.relay.acceptedGeneration).toBe(before.spec.relay.acceptedGeneration + 1)
  expect((await world.get(kinds.volumeClaim, `${name}-home`))?.metadata.uid).toBe(volume)
  expect((await (await entered())('GET', README)).body.note.content).toBe('# Kept through everything\n')
  await until('no problem is left', async () => (await inventory()).problem === null)
})

test('a volume that is deleted is not replaced by an empty one before the daemon is reinstalled', async () => {
  verifies('operator.volume-lost')
  const { world } = platform
  const admin = platform.person()
  await admin.post('/api/auth/sign-in/email', { email: 'admin@example.org', password: PASSWORD })
  await world.patch(name, { desiredState: 'sleeping' })
  const { uid, status } = await world.reaches(name, 'asleep', ({ status }) => status.observedState === 'sleeping')
  await world.admin.request({ method: 'DELETE', path: pathOf(kinds.volumeClaim, world.namespace, `${name}-home`) })
  await removeFolder(world.kubelet.volumeOf(`${name}-home`))

  await world.reaches(name, 'the report', (daemon) => daemon.status.observedState === 'failed')
  const entry = await person.post(`/api/orgs/${org.slug}/vaults/demo-vault/entry`)
  expect(entry.body.error.code).toBe('daemon_offline')
  expect((await person.get(`/api/orgs/${org.slug}/hosted/status`)).body.status.observedState).toBe('failed')
  expect(await world.get(kinds.volumeClaim, `${name}-home`)).toBeUndefined()

  const request = { operationId: 'reinstall-journey-2', reason: 'the volume is gone', confirmation: org.slug }
  const ask = () => admin.post(`/api/admin/managed-daemons/${org.id}/reinstall`, request)
  let answer = await ask()
  await until('the reinstallation', async () => (answer = await ask()).status === 200, { everyMs: 500 })
  expect(answer.body).toMatchObject({ ok: true, image: status.image, observedState: 'running' })
  expect((await world.reaches(name, 'settled', settled)).uid).not.toBe(uid)
  const starter = await (await entered())('GET', README)
  expect(starter.status).toBe(200)
  expect(starter.body.note.content).not.toContain('Kept through everything')
})

test('by its administrator it grows and is put to sleep, and a visit wakes it', async () => {
  verifies('operator.grow-and-sleep')
  const { world } = platform
  const admin = platform.person()
  await admin.post('/api/auth/sign-in/email', { email: 'admin@example.org', password: PASSWORD })
  const ask = async (action: string, request: object) => {
    const send = () => admin.post(`/api/admin/managed-daemons/${org.id}/${action}`, request)
    let answer = await send()
    await until(action, async () => (answer = await send()).status !== 409, { everyMs: 500 })
    return answer.body
  }
  const confirmed = { reason: 'the journey', confirmation: org.slug }
  const grown = await ask('storage/grow', { ...confirmed, operationId: 'grow-journey-1', size: '192Mi' })
  expect(grown).toMatchObject({ ok: true, size: '192Mi' })
  await world.reaches(name, 'grown', ({ status }) => status.storage?.capacityBytes === 192 * 2 ** 20)

  const slept = await ask('sleep', { ...confirmed, operationId: 'sleep-journey-1' })
  expect(slept).toMatchObject({ ok: true, observedState: 'sleeping' })
  expect(await world.get(kinds.pod, `${name}-0`)).toBeUndefined()
  await until('the visit', async () => {
    const { status } = await person.post(`/api/orgs/${org.slug}/vaults/demo-vault/entry`)
    return status === 200
  })
  await world.reaches(name, 'awake', settled)
})

test('it is deleted with its organization', async () => {
  const deleted = await person.send('DELETE', `/api/orgs/${org.id}`, {
    body: { name: 'On Kubernetes' },
  })
  expect(deleted.status, deleted.text).toBeLessThan(300)
  await until('the resource is gone', async () => (await platform.world.store.find(name)) === undefined)
})

test.each([
  ['is gone', async (daemon: string) => (await platform.world.store.find(daemon)) === undefined],
  ['is going', async () => true],
])('its volume goes with it when its resource was deleted by hand and %s', async (_state, wait) => {
  verifies('operator.lost-volume')
  const { world } = platform
  const created = await person.post('/api/provisioning/orgs/cloud-hosted/comped', { name: 'Lost' })
  const { id } = created.body.organization
  const daemon = managedDaemonName(id)
  await until('the resource', async () => (await world.store.find(daemon)) !== undefined)
  await world.reaches(daemon, 'running', settled)

  await world.admin.request({ method: 'DELETE', path: pathOf(kinds.managedDaemon, world.namespace, daemon) })
  await until(`the resource ${_state}`, () => wait(daemon))
  expect(await world.get(kinds.volumeClaim, `${daemon}-home`)).toBeDefined()
  const deleted = await person.send('DELETE', `/api/orgs/${id}`, { body: { name: 'Lost' } })
  expect(deleted.status, deleted.text).toBeLessThan(300)
  await until('the volume is gone', async () => (await world.get(kinds.volumeClaim, `${daemon}-home`)) === undefined)
  await until('the resource is gone', async () => (await world.store.find(daemon)) === undefined)
})
