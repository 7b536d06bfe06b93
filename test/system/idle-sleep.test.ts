import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { consent, LOOPBACK_REDIRECT, rawAgent } from '../support/agent-client.ts'
import { listedVaults } from '../support/listed-vaults.ts'
import { mcpSession } from '../support/mcp-session.ts'
import { createPerson, sendRaw, type Person } from '../support/person.ts'
import { START_MS, startPlatform, type Platform } from '../support/platform.ts'
import { until } from '../support/until.ts'

// Longer than readers pause on a busy machine.
const IDLE_SECONDS = 12
const NOTE = '/api/vaults/demo-vault/notes/Awake.md'

let platform: Platform
let ada: Person
let orgId = ''
let slug = ''
let vaultHost = ''
let cookie = ''

beforeAll(async () => {
  platform = await startPlatform({ DAEMON_IDLE_SECONDS: String(IDLE_SECONDS), MCP_ENABLED: '1' })
  ada = createPerson(platform.origin, platform.mailbox)
  await ada.signUp({ email: 'ada@example.org' })
  const { body } = await ada.post('/api/provisioning/orgs/cloud-hosted/comped', { name: 'Sleepy', slug: 'sleepy' })
  orgId = body.organization.id
  slug = body.organization.slug
  await until('the daemon runs', async () => (await state()).relay.connected, { withinMs: START_MS })
  await enter()
})
afterAll(async () => {
  await platform?.remove()
})

const state = async () => (await ada.get(`/api/orgs/${slug}/hosted/status`)).body.status
const isAsleep = async () => (await state()).observedState === 'sleeping'
const mint = () => ada.post(`/api/orgs/${slug}/vaults/demo-vault/entry`)

async function enter(): Promise<void> {
  const { entry } = (await mint()).body
  vaultHost = new URL(entry.url).host
  const entered = await sendRaw(platform.origin, {
    method: 'POST',
    path: '/_svc/enter',
    headers: {
      host: vaultHost,
      origin: platform.origin,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ assertion: entry.assertion }).toString(),
  })
  cookie = entered.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
}

const ask = (method: string, path: string, more: { headers?: Record<string, string>; body?: string } = {}) =>
  sendRaw(platform.origin, {
    method,
    path,
    headers: { host: vaultHost, cookie, origin: `http://${vaultHost}`, ...more.headers },
    body: more.body,
  })
const write = (text: string) =>
  ask('PUT', NOTE, { headers: { 'content-type': 'text/markdown', 'if-none-match': '*' }, body: text })

/**
 * An event stream as a browser tab holds it. `said` returns everything received; `ended` resolves when the stream ends.
 */
function listen() {
  let said = ''
  const ended = new Promise<void>((resolve, reject) => {
    const asked = request({
      host: '127.0.0.1',
      port: platform.port,
      path: '/api/vaults/demo-vault/events',
      headers: { host: vaultHost, cookie, accept: 'text/event-stream' },
      agent: false,
    }).end()
    asked.once('error', reject)
    void once(asked, 'response').then(([answer]) => {
      const stream = answer as IncomingMessage
      stream.setEncoding('utf8').on('data', (text: string) => (said += text))
      stream.once('end', resolve)
      stream.once('error', reject)
    }, reject)
  })
  return { said: () => said, ended }
}

test('a reader keeps the daemon awake; a tab that only listens does not', async () => {
  verifies('sleep.idle', 'sleep.activity', 'sleep.streams-end')
  expect((await write('awake')).status).toBe(201)
  const tab = listen()
  const readUntil = Date.now() + (IDLE_SECONDS + 2) * 1_000
  // Read in parallel: on a busy machine a single read takes long, and there must be no pause between reads.
  const reading = async () => {
    while (Date.now() < readUntil) {
      expect((await ask('GET', NOTE)).status).toBe(200)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const watching = async () => {
    while (Date.now() < readUntil) {
      expect((await state()).desiredState).toBe('running')
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
  }
  await Promise.all([reading(), reading(), watching()])

  await until('it sleeps', isAsleep)
  await tab.ended
  const back = listen()
  await back.ended
  expect(back.said()).toBe('event: sleep\ndata: {"reason":"asleep"}\n\n')
  const listed = await listedVaults(() => ada.get('/api/vaults'))
  expect(listed.organizations[0]).toMatchObject({ state: 'sleeping' })
  expect(await isAsleep()).toBe(true)
})

test('the first requests after sleep all succeed: notes, pages, entries and writes, all at once', async () => {
  verifies('wake.held')
  await until('it sleeps', isAsleep)
  const page = { headers: { accept: 'text/html' } }
  const [read, written, entered, made, shown] = await Promise.all([
    ask('GET', NOTE, { headers: { accept: 'text/markdown' } }),
    ask('PUT', '/api/vaults/demo-vault/notes/First.md', {
      headers: { 'content-type': 'text/markdown', 'if-none-match': '*' },
      body: 'first',
    }),
    mint(),
    ada.post(`/api/orgs/${orgId}/vaults/hosted`, { displayName: 'Morning', slug: 'morning' }),
    ask('GET', '/', page),
  ])
  expect([read.status, read.text]).toEqual([200, 'awake'])
  expect([written.status, entered.status, made.status]).toEqual([201, 200, 201])
  expect([200, 202]).toContain(shown.status)
  expect((await ask('GET', '/', page)).status).toBe(200)
})

test('an admin says when it sleeps; a member does not', async () => {
  const set = (seconds: unknown) => ada.patch(`/api/orgs/${orgId}/hosted/idle-sleep`, { seconds })
  expect((await state()).idleSleep).toEqual({ seconds: IDLE_SECONDS, from: 'platform' })
  expect((await set(0)).body.idleSleep).toEqual({ seconds: 0, from: 'organization' })
  for (const wrong of [5, -1, 1.5, 604_801, '60']) expect((await set(wrong)).status, String(wrong)).toBe(400)
  expect((await state()).idleSleep).toEqual({ seconds: 0, from: 'organization' })
  expect((await set(null)).body.idleSleep).toEqual({ seconds: IDLE_SECONDS, from: 'platform' })

  const outsider = createPerson(platform.origin, platform.mailbox)
  await outsider.signUp({ email: 'eve@example.org' })
  expect((await outsider.patch(`/api/orgs/${orgId}/hosted/idle-sleep`, { seconds: 0 })).status).toBe(404)
})

test('a call of an agent wakes it; a call that waits too long is told that the daemon wakes', async () => {
  verifies('agents.wake')
  const agent = rawAgent(platform.origin)
  const { client_id } = (await agent.register({ redirect_uris: [LOOPBACK_REDIRECT] })).body
  const back = await consent(ada, agent.authorizationUrl(client_id), { vaults: [{ orgId, vaultId: null }] })
  const { access_token } = (await agent.exchange(client_id, back.searchParams.get('code') ?? '')).body
  const authorization = `Bearer ${access_token}`
  const session = await mcpSession(`http://127.0.0.1:${platform.port}/mcp`, '2025-11-25', { authorization })
  expect(await session.tool('list_vaults', { org: slug })).toMatchObject({ code: 'integration_not_approved' })
  const integrations = `/api/orgs/${orgId}/integrations`
  const [{ id }] = (await ada.get(integrations)).body.integrations
  expect((await ada.post(`${integrations}/${id}/approve`, { access: 'read' })).status).toBe(200)

  await until('it sleeps', isAsleep)
  await until('the agent reads a note', async () => {
    const note = await session.tool('read_note', { org: slug, vaultId: 'demo-vault', path: 'README.md' })
    if (note['isError'] === true) expect(note['code']).toBe('daemon_waking')
    return note['isError'] !== true
  })
})
