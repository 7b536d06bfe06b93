import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { TUNNEL_SUBPROTOCOL } from '@svc/shared/wire/tunnel-hello.ts'
import { verifies } from '../requirements.ts'
import { startRelay } from '../support/relay.ts'
import type { RelayHarness } from '../support/relay-replica.ts'
import { until } from '../support/until.ts'

// `behind` is a relay behind a proxy, whose part the test plays. `bare` has no proxy.
let behind: RelayHarness
let bare: RelayHarness

beforeAll(async () => {
  behind = await startRelay({ trustedProxies: ['127.0.0.1'], acceptsPerSecond: 10_000 })
  bare = await startRelay()
})
afterAll(async () => {
  await behind?.close()
  await bare?.close()
})

type Dial = { relay: RelayHarness; orgId: string; key?: string; from: string }

/** Dials in with a key (by default a wrong one) and an `X-Forwarded-For`; returns the status. */
function dial({ relay, orgId, key = `svc_dmn_${'x'.repeat(40)}`, from }: Dial): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${relay.port}/t/${orgId}`, [TUNNEL_SUBPROTOCOL], {
    headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': from },
  })
  return new Promise((resolve) => {
    socket.on('error', () => {})
    socket.once('open', () => (socket.terminate(), resolve(101)))
    socket.once('unexpected-response', (_request, { statusCode }) => (socket.terminate(), resolve(statusCode ?? 0)))
  })
}

/** Dials in with a wrong key from each of the addresses, one after the other. */
async function showWrongKeys(relay: RelayHarness, orgId: string, addresses: string[]): Promise<void> {
  for (const from of addresses) expect(await dial({ relay, orgId, from })).toBe(401)
}
const ten = (addressOf: (i: number) => string) => Array.from({ length: 10 }, (_, i) => addressOf(i))

test('wrong keys count by the address that the trusted proxy names, not by the proxy or a claim of the client', async () => {
  verifies('security.key-dial')
  const { orgId, apiKey: key } = await behind.makeOrganization()
  const dialIn = (from: string) => dial({ relay: behind, orgId, key, from })
  await showWrongKeys(
    behind,
    orgId,
    ten(() => '198.51.100.7'),
  )
  expect(await dialIn('198.51.100.7')).toBe(429)
  // The proxy appends the address that it saw. The part before it is claimed by the client.
  expect(await dialIn('203.0.113.1, 198.51.100.7')).toBe(429)
  expect(await dialIn('198.51.100.7, 203.0.113.1')).toBe(101)
  expect(behind.logged()).toContain('198.51.100.7')
})

test('one client has the whole /64 of its IPv6 address', async () => {
  const { orgId, apiKey: key } = await behind.makeOrganization()
  await showWrongKeys(
    behind,
    orgId,
    ten((i) => `2001:db8:1:2::${i + 1}`),
  )
  expect(await dial({ relay: behind, orgId, key, from: '2001:db8:1:2:ffff::9' })).toBe(429)
  expect(await dial({ relay: behind, orgId, key, from: '2001:db8:1:3::1' })).toBe(101)
})

test('without a trusted proxy nobody chooses an address', async () => {
  const { orgId, apiKey: key } = await bare.makeOrganization()
  await showWrongKeys(
    bare,
    orgId,
    ten((i) => `198.51.100.${i}`),
  )
  expect(await dial({ relay: bare, orgId, key, from: '203.0.113.1' })).toBe(429)
})

test('a daemon that dials without pause is told to wait, and no other', async () => {
  verifies('relay.dial-pace')
  const busy = await behind.makeOrganization()
  const calm = await behind.makeOrganization()
  const from = '198.51.100.99'
  for (let i = 0; i < 60; i += 1) expect(await dial({ relay: behind, ...busy, key: busy.apiKey, from })).toBe(101)
  await until(
    'it is told to wait',
    async () => (await dial({ relay: behind, ...busy, key: busy.apiKey, from })) === 429,
  )
  expect(await dial({ relay: behind, ...calm, key: calm.apiKey, from })).toBe(101)
})
