import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { ASSERTION_HEADER } from '@svc/shared/wire/assertions.ts'
import { relayedContext } from '../../daemon/src/entry/tunnel-context.ts'
import { createVerifyAssertion } from '../../daemon/src/entry/verify-assertion.ts'
import { startRelay } from '../support/relay.ts'
import { startDaemon, until, type RelayHarness } from '../support/relay-replica.ts'

/** An assertion lives for less than that. */
const LONG_MS = 60_000
let aheadMs = 0
const clock = { ...systemClock, now: () => new Date(systemClock.now().getTime() + aheadMs) }
const verify = createVerifyAssertion({ clock })
let woken = 0
let harness: RelayHarness

beforeAll(async () => {
  const hosted = {
    state: async () => 'sleeping' as const,
    wakeIfAsleep: async () => {
      woken += 1
      return 'sleeping' as const
    },
  }
  harness = await startRelay({ hosted, clock })
})
afterAll(() => harness.close())

/** A daemon that serves whoever shows a valid assertion. */
async function wake(org: Awaited<ReturnType<RelayHarness['makeOrganization']>>) {
  const isProved = ({ socket, headers }: IncomingMessage) =>
    verify(String(headers[ASSERTION_HEADER]), relayedContext(socket)!).then(
      () => true,
      () => false,
    )
  const daemon = await startDaemon(harness, org, async (request, response) => {
    response.statusCode = (await isProved(request)) ? 200 : 401
    request.resume().once('end', () => response.end())
  })
  const sockets = new WebSocketServer({ noServer: true })
  daemon.server.on('upgrade', async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (await isProved(request)) sockets.handleUpgrade(request, socket, head, (live) => live.close())
    else socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n')
  })
  return daemon
}

test('requests that were held while their daemon woke show it an assertion that is still valid', async () => {
  const org = await harness.makeOrganization()
  const cookie = await harness.enter({ orgId: org.orgId, person: await harness.makePerson(org.orgId), vault: 'v' })
  const headers = { cookie, origin: org.origin }
  const saving = harness.ask({ host: org.host, method: 'PUT', path: '/api/vaults/v/notes/a.md', headers, body: 'text' })
  await until(() => woken === 1)
  const live = new WebSocket(`ws://127.0.0.1:${harness.port}/api/vaults/v/live/a.md`, {
    headers: { ...headers, host: org.host },
  })
  const opened = once(live, 'open')
  await until(() => woken === 2)

  aheadMs = LONG_MS
  const daemon = await wake(org)
  try {
    expect((await saving).status).toBe(200)
    await opened
    // So does a request after the cached one has expired.
    aheadMs = 2 * LONG_MS
    expect((await harness.ask({ host: org.host, path: '/api/vaults/v/tree', headers })).status).toBe(200)
  } finally {
    live.terminate()
    await daemon.close()
  }
})

test('whose entry ends while the daemon wakes is not told who has entered, nor of the vaults', async () => {
  const org = await harness.makeOrganization()
  const person = await harness.makePerson(org.orgId)
  const cookie = await harness.enter({ orgId: org.orgId, person, vault: 'v' })
  const before = woken
  const asking = harness.ask({ host: org.host, path: '/_svc/person', headers: { cookie } })
  const cut = expect(asking).rejects.toThrow(/hang up/)
  await until(() => woken > before)
  await harness.db.deleteFrom('session').where('id', '=', person.sessionId).execute()
  await harness.relay.entries.sweep()
  await cut
})
