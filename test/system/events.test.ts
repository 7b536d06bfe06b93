import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { dialRelay } from '../../daemon/src/relay/dial-relay.ts'
import { loadRelayIdentity } from '../../daemon/src/relay/relay-identity.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { listenToEvents, type EventReader } from '../support/event-reader.ts'
import { mailedToken } from '../support/mailbox.ts'
import type { Person } from '../support/person.ts'
import { until } from '../support/until.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { removeFolder } from '../support/remove-folder.ts'

let database: TestDatabase
let cp: TestControlPlane
let admin: Person
let member: Person
let outsider: Person
let org: { id: string; slug: string; name: string }
const readers: EventReader[] = []

/** A reader whose rights the control plane has read. It would tell one of before of changes by `resync` alone. */
const listen = async (person: Person, port?: string) => {
  const reader = await listenToEvents(cp.origin, person, port)
  readers.push(reader)
  if (reader.status === 200) await reader.event('beat')
  return reader
}
const invite = (email: string) =>
  admin.post('/api/auth/organization/invite-member', { organizationId: org.id, email, role: 'member' })
const rename = (name: string) => admin.post('/api/auth/organization/update', { organizationId: org.id, data: { name } })

beforeAll(async () => {
  database = await createTestDatabase()
  cp = await startControlPlane({ database })
  ;[admin, member, outsider] = [cp.person(), cp.person(), cp.person()]
  await admin.signUp({ email: 'admin@example.org' })
  await member.signUp({ email: 'member@example.org' })
  await outsider.signUp({ email: 'outsider@example.org' })
  org = (await admin.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })).body.organization
  const { body } = await invite(member.email)
  const token = mailedToken(await cp.mailTo(member.email, 'invitation'))
  await member.post('/api/auth/organization/accept-invitation', { invitationId: body.id, token })
})
afterAll(async () => {
  for (const reader of readers) reader.stop()
  await cp.stop()
  await database.drop()
})

test('each person gets events of what they may see, and of nothing else', async () => {
  verifies('events.topics')
  const [asAdmin, asMember, asOutsider] = [await listen(admin), await listen(member), await listen(outsider)]
  expect(asAdmin.status).toBe(200)
  expect(asAdmin.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  })
  expect(asAdmin.headers['cache-control']).toContain('no-store')
  await asAdmin.event('hello')

  await invite('new@example.org')
  await admin.post(`/api/orgs/${org.id}/api-key`)
  await rename('Acme Ltd')
  await outsider.patch('/api/settings/profile', { name: 'Somebody' })
  await asAdmin.change('organization', org.id)
  await asMember.change('organization', org.id)
  await asOutsider.change('account', null)
  await asAdmin.change('invitations', org.id)
  await asAdmin.change('keys', org.id)
  // Events arrive in the order of commits, so the events of invitation and key would already have arrived.
  const topicsOf = ({ received }: EventReader) => JSON.stringify(received)
  expect(topicsOf(asMember)).not.toMatch(/invitations|keys|account/)
  expect(topicsOf(asOutsider)).not.toContain(org.id)
  asOutsider.stop()
  asMember.stop()
  asAdmin.stop()
})

test('a person who joins or is removed gets an event, and none of the organization after a removal', async () => {
  verifies('events.topics')
  const guest = cp.person()
  await guest.signUp({ email: 'guest@example.org' })
  const asGuest = await listen(guest)
  const { body } = await invite(guest.email)
  await guest.post('/api/auth/organization/accept-invitation', {
    invitationId: body.id,
    token: mailedToken(await cp.mailTo(guest.email, 'invitation')),
  })
  await asGuest.change('members', org.id)
  await rename('Acme Inc')
  await asGuest.change('organization', org.id)

  asGuest.forget()
  await admin.post('/api/auth/organization/remove-member', { organizationId: org.id, memberIdOrEmail: guest.email })
  await asGuest.change('members', org.id)
  asGuest.forget()
  await rename('Acme')
  await guest.patch('/api/settings/profile', { name: 'Guest' })
  await asGuest.change('account', null)
  expect(JSON.stringify(asGuest.received)).not.toContain(org.id)
  asGuest.stop()
})

test('while nothing changes, beats say so', async () => {
  verifies('web.freshness')
  const stream = await listen(member)
  await stream.event('hello')
  for (let round = 0; round < 3; round += 1) {
    stream.forget()
    await stream.event('beat')
  }
  stream.stop()
})

test('the stream of another replica tells it too', async () => {
  verifies('events.prompt')
  const other = await startControlPlane({ database, environment: { BASE_URL: cp.origin } })
  try {
    const elsewhere = await listen(admin, new URL(other.origin).port)
    await elsewhere.event('hello')
    await rename('Acme GmbH')
    await elsewhere.change('organization', org.id)
    elsewhere.stop()
  } finally {
    await other.stop()
  }
})

test('a daemon that connects or disconnects causes an event', async () => {
  verifies('events.prompt')
  const key = (await admin.post(`/api/orgs/${org.id}/vaults/relay`, { name: 'Notes' })).body
  const home = await mkdtemp(join(tmpdir(), 'svc-events-'))
  const dialIn = createServer().listen(0, '127.0.0.1')
  dialIn.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    cp.tunnels.dialIn.upgrade?.(request, socket, head),
  )
  await once(dialIn, 'listening')
  const asMember = await listen(member)
  const connection = dialRelay({
    url: `http://127.0.0.1:${(dialIn.address() as AddressInfo).port}/t/${org.id}`,
    key: { kind: 'text', token: new Secret(key.apiKey) },
    identity: await loadRelayIdentity(join(home, 'relay-identity.pem')),
    version: '0.0.0-test',
    serve: () => {},
    clock: systemClock,
    log: createLog({ service: 'test', level: 'silent' }),
  })
  const isConnected = async () => (await member.get(`/api/orgs/${org.id}/daemon/status`)).body.daemon.connected
  try {
    await asMember.change('daemon', org.id)
    await until('it is connected', isConnected)
    asMember.forget()
    await connection.stop()
    await asMember.change('daemon', org.id)
    await until('it is gone', async () => !(await isConnected()))
  } finally {
    asMember.stop()
    await connection.stop()
    dialIn.close()
    dialIn.closeAllConnections()
    await removeFolder(home)
  }
})

describe('a stream ends', () => {
  test('with the session it was opened for, whoever ended it', async () => {
    verifies('events.session')
    const leaver = cp.person()
    await leaver.signUp({ email: 'leaver@example.org' })
    const stream = await listen(leaver)
    await stream.event('hello')
    await cp.db.deleteFrom('session').where('userId', '=', leaver.id).execute()
    expect(await stream.event('end')).toEqual({ reason: 'session_ended' })
    await stream.closed
    expect((await listen(leaver)).status).toBe(401)
  })

  test('when the control plane stops', async () => {
    const other = await startControlPlane({ database, environment: { BASE_URL: cp.origin } })
    const stream = await listen(member, new URL(other.origin).port)
    await stream.event('hello')
    await other.drain(0)
    expect(await stream.event('end')).toEqual({ reason: 'closing' })
    await stream.closed
    await other.stop()
  })
})

test('a browser keeps four streams; the fifth is refused until one is closed', async () => {
  verifies('events.limit', 'http.head')
  for (let requests = 0; requests < 5; requests += 1)
    expect((await member.send('HEAD', '/api/events')).status).toBe(200)
  const tabs = [await listen(member), await listen(member), await listen(member), await listen(member)]
  expect(tabs.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const fifth = await listen(member)
  expect(fifth.status).toBe(429)
  expect(fifth.headers['retry-after']).toBe('30')
  tabs[0]?.stop()
  await expect.poll(async () => (await listen(member)).status).toBe(200)
})
