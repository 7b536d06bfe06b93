import { afterAll, beforeAll, expect, test } from 'vitest'
import { operate } from '../support/operate.ts'
import { createPerson, type Person } from '../support/person.ts'
import { START_MS, startPlatform, type Platform } from '../support/platform.ts'
import { verifies } from '../requirements.ts'
import { until } from '../support/until.ts'

let platform: Platform
let admin: Person

beforeAll(async () => {
  platform = await startPlatform()
  admin = createPerson(platform.origin, platform.mailbox)
  await admin.signUp({ email: 'admin@example.org' })
  await admin.post('/api/setup/claim', { token: new URL(platform.setupLink ?? '').hash.slice(1) })
})
afterAll(async () => {
  await platform?.remove()
})

test('with real daemons: storage is told through the relay, a key rotates and an image rolls', async () => {
  verifies('admin.storage-check', 'admin.image-roll', 'hosted.reaches-running')
  const { body } = await admin.post('/api/provisioning/orgs/cloud-hosted/comped', { name: 'Real', slug: 'real' })
  const orgId = body.organization.id as string
  const item = async () => (await admin.get(`/api/admin/managed-daemons?orgId=${orgId}`)).body.daemons?.[0]
  await until('the daemon runs', async () => (await item())?.daemon?.operation?.outcome === 'succeeded', {
    withinMs: START_MS,
  })

  const check = { orgId, path: 'storage/check', operationId: 'real-storage-1', confirmation: 'real' }
  const checked = await operate(admin, check)
  expect(checked.body).toMatchObject({ ok: true, woke: false, storage: { usedBytes: expect.any(Number) } })
  expect(checked.body.storage.capacityBytes).toBeGreaterThan(checked.body.storage.usedBytes)
  const again = await operate(admin, check)
  expect(again.text).toBe(checked.text)

  const rotation = { orgId, path: 'key/rotate', operationId: 'real-rotation-1', confirmation: 'real' }
  const rotated = await operate(admin, rotation)
  expect(rotated.body).toMatchObject({ ok: true, keyGeneration: 2 })

  // The embedded platform has only the image of its own build; rolling to it is a rotation with proof.
  const { image } = (await item()).daemon
  const rolled = await operate(admin, { orgId, path: 'image', image, confirmation: orgId, operationId: 'real-roll-1' })
  expect(rolled.body).toMatchObject({ ok: true, image, observedState: 'running' })
  await until('the inventory has the keys', async () => (await item())?.daemon.relay.acceptedGeneration === 3)
  expect((await item()).daemon.relay.keyGeneration).toBe(3)
  expect((await admin.get('/api/admin/audit/verify')).body).toMatchObject({ valid: true })
})
