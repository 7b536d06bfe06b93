import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { rotateDaemonKey, rotateDaemonKeyNow } from '../../control-plane/src/daemon-keys/rotate-daemon-key.ts'
import { insertRevocation } from '../../control-plane/src/entry/insert-revocation.ts'
import { mintEntryAssertion } from '../../control-plane/src/entry/mint-assertion.ts'
import { resetVaultOrigin } from '../../control-plane/src/entry/vault-origins.ts'
import { relayedContext } from '../../daemon/src/entry/tunnel-context.ts'
import { verifies } from '../requirements.ts'
import { movedClock } from '../support/moved-clock.ts'
import { startRelay } from '../support/relay.ts'
import { startDaemon, until, verifyAssertion, type Person, type RelayHarness } from '../support/relay-replica.ts'

type Organization = Awaited<ReturnType<RelayHarness['makeOrganization']>>
type Daemon = Awaited<ReturnType<typeof startDaemon>>

let harness: RelayHarness
let org: Organization
let daemon: Daemon
let audit: string[] = []

const listen = (one: Organization, relay = harness) =>
  startDaemon(relay, one, async (req, res) => {
    const { claims } = await verifyAssertion(String(req.headers['x-svc-assertion']), relayedContext(req.socket)!)
    if ('sub' in claims) audit.push(claims.sub)
    if (req.url?.endsWith('/events')) return void res.writeHead(200).write('data: hello\n\n')
    let bytes = 0
    for await (const chunk of req) bytes += (chunk as Buffer).length
    res.end('sub' in claims ? `${claims.sub} ${bytes}` : 'service')
  })

/** A new organization with a connected daemon that takes WebSockets, too. */
async function withDaemon(relay: RelayHarness): Promise<{ org: Organization; daemon: Daemon }> {
  const one = await relay.makeOrganization()
  const behind = await listen(one, relay)
  const sockets = new WebSocketServer({ noServer: true })
  behind.server.on('upgrade', (req, socket, head) => sockets.handleUpgrade(req, socket, head, () => {}))
  await until(async () => (await relay.relay.status(one.orgId)).connected)
  return { org: one, daemon: behind }
}

beforeAll(async () => {
  harness = await startRelay()
  ;({ org, daemon } = await withDaemon(harness))
})
afterAll(async () => {
  await daemon.close()
  await harness.close()
})

const enter = async (person: Person, vault = 'v') => harness.enter({ orgId: org.orgId, person, vault })

/** One keep-alive connection that sends requests one after the other. */
function keepAlive(cookies: string[]) {
  const socket = connect(harness.port, '127.0.0.1')
  let text = ''
  let turn = 0
  return {
    run: (count: number): Promise<string[]> =>
      new Promise((resolve, reject) => {
        const answers: string[] = []
        const next = () =>
          socket.write(
            `GET /api/vaults/v/tree HTTP/1.1\r\nHost: ${org.host}\r\nCookie: ${cookies[turn++ % cookies.length]}\r\n\r\n`,
          )
        socket.on('error', reject)
        socket.on('data', (chunk) => {
          text += chunk.toString('latin1')
          const [, length] = /content-length: (\d+)/i.exec(text) ?? []
          const end = text.indexOf('\r\n\r\n') + 4
          if (end < 4 || length === undefined || text.length < end + Number(length)) {
            if (!text.includes('transfer-encoding: chunked') || !text.endsWith('0\r\n\r\n')) return
          }
          answers.push(text.slice(end))
          text = ''
          if (answers.length === count) {
            socket.destroy()
            resolve(answers)
          } else next()
        })
        next()
      }),
  }
}

describe('identity', () => {
  it('is right for each of 10,000 requests of two people who alternate over one connection and pooled streams', async () => {
    verifies('security.identity-per-request')
    const people = [await harness.makePerson(org.orgId), await harness.makePerson(org.orgId)]
    const cookies = [await enter(people[0]!), await enter(people[1]!)]
    audit = []
    const answers = await keepAlive(cookies).run(10_000)
    const expected = Array.from({ length: 10_000 }, (_, i) => people[i % 2]!.id)
    expect(audit).toEqual(expected)
    expect(answers.every((answer, i) => answer.includes(expected[i]!))).toBe(true)
    expect(harness.relay.findTunnel(org.orgId)!.tunnel.streamCount).toBeLessThanOrEqual(4)
  })
})

describe('entry', () => {
  const mint = async (person: Person, given: { org?: Organization; vaultOrigin?: string } = {}) => {
    const { orgId, origin, daemonId } = given.org ?? org
    const { text } = await mintEntryAssertion(harness.relay.signingKeys.signer('entry'), {
      vaultOrigin: given.vaultOrigin ?? origin,
      user: person,
      sessionId: person.sessionId,
      orgId,
      daemonId,
      vault: 'v',
      role: person.role,
    })
    return text
  }
  const post = (body: string, headers: Record<string, string> = {}) =>
    harness.ask({
      method: 'POST',
      host: org.host,
      path: '/_svc/enter',
      headers: { origin: harness.baseUrl, 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body,
    })

  it('works once for an assertion, and opens the vault with a cookie of this origin alone', async () => {
    verifies('security.entry-once', 'security.entry-cookie')
    const form = new URLSearchParams({ assertion: await mint(await harness.makePerson(org.orgId)) }).toString()
    const first = await post(form)
    expect(first.status).toBe(303)
    expect(first.headers.location).toBe('/v/v')
    expect(first.headers['set-cookie']?.[0]).toMatch(
      /^svc_entry=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/,
    )
    expect((await post(form)).status).toBe(401)
  })

  it('leads on to a note and heading of the vault, and to no other address', async () => {
    verifies('entry.deep-link', 'entry.no-open-redirect')
    const entering = async (place: Record<string, string>) => {
      const assertion = await mint(await harness.makePerson(org.orgId))
      const { status, headers } = await post(new URLSearchParams({ assertion, ...place }).toString())
      return [status, headers.location]
    }
    expect(await entering({ path: 'A b/c#d.md', heading: 'Next steps' })).toEqual([
      303,
      '/v/v/A%20b/c%23d.md#Next%20steps',
    ])
    const hostile = [
      '//evil.example',
      'https://evil.example',
      '/\\evil',
      '../x',
      'a\r\nset-cookie: x',
      '',
      'x'.repeat(1025),
    ]
    for (const path of hostile) expect([path, await entering({ path })]).toEqual([path, [400, undefined]])
    expect(await entering({ heading: '//evil.example\r\nx: y' })).toEqual([
      303,
      '/v/v#%2F%2Fevil.example%0D%0Ax%3A%20y',
    ])
  })

  it('leads a person without it to the app, which comes back to the note', async () => {
    verifies('entry.deep-link', 'entry.no-open-redirect')
    const { orgId, host } = org
    const open = async (path: string) => {
      const { status, headers } = await harness.ask({ host, path, headers: { accept: 'text/html' } })
      return [status, headers.location]
    }
    const enter = `${harness.baseUrl}/enter?organization=${orgId}`
    expect(await open('/v/v/A%20b/c.md?view=history')).toEqual([302, `${enter}&vault=v&path=A+b%2Fc.md`])
    expect(await open('/')).toEqual([302, enter])
    const program = await harness.ask({ host, path: '/api/vaults/v/tree' })
    expect(program.status).toBe(401)
  })

  it('needs the origin of the control plane', async () => {
    verifies('security.entry-origin')
    for (const origin of ['null', org.origin, 'http://evil.example', `${harness.baseUrl}/`, '']) {
      const form = new URLSearchParams({ assertion: await mint(await harness.makePerson(org.orgId)) }).toString()
      expect([origin, (await post(form, { origin })).status]).toEqual([origin, 403])
    }
  })

  it('refuses assertions for another origin, another organization, another kind, and large or odd forms', async () => {
    verifies('security.assertion-kinds', 'security.entry-form')
    const person = await harness.makePerson(org.orgId)
    const other = await harness.makeOrganization()
    const service = await harness.relay.signingKeys.signer('service')({ aud: org.origin, org: org.orgId })
    const bad = [
      await mint(person, { vaultOrigin: other.origin }),
      await mint(person, { org: other }),
      service.text,
      `${(await mint(person)).slice(0, -4)}AAAA`,
      'x.y.z',
      '',
    ]
    for (const assertion of bad) expect((await post(new URLSearchParams({ assertion }).toString())).status).toBe(401)
    expect((await post('a=b')).status).toBe(400)
    expect((await post(`assertion=a&assertion=b`)).status).toBe(400)
    expect((await post(`assertion=${'x'.repeat(5_000)}`)).status).toBe(413)
    expect((await post('{}', { 'content-type': 'application/json' })).status).toBe(415)
    expect((await harness.ask({ host: org.host, path: '/_svc/enter' })).status).toBe(405)
  })

  type Ending = { relay: RelayHarness; one: Organization; person: Person; cookie: string }
  const endings: [string, (ending: Ending) => Promise<unknown>][] = [
    [
      'leaving',
      ({ relay, one, cookie }) =>
        relay.ask({ method: 'POST', host: one.host, path: '/_svc/leave', headers: { cookie, origin: one.origin } }),
    ],
    ['sign-out', ({ relay, person }) => relay.db.deleteFrom('session').where('id', '=', person.sessionId).execute()],
    ['removal', ({ relay, person }) => relay.db.deleteFrom('member').where('userId', '=', person.id).execute()],
    [
      'a role change',
      ({ relay, person }) =>
        relay.db.updateTable('member').set({ role: 'admin' }).where('userId', '=', person.id).execute(),
    ],
    [
      'revocation of the person',
      ({ relay, person }) =>
        relay.db
          .transaction()
          .execute((trx) => insertRevocation(trx, { kind: 'user', subject: person.id, clock: systemClock })),
    ],
  ]
  it.each(endings)('ends within five seconds by %s, open streams included', async (_what, end) => {
    verifies('security.revocation', 'security.entry-cookie')
    // Its own relay, because five seconds pass only on its clock.
    const clock = movedClock()
    const relay = await startRelay({ clock })
    onTestFinished(relay.close)
    const { org: one, daemon: behind } = await withDaemon(relay)
    onTestFinished(behind.close)
    const person = await relay.makePerson(one.orgId)
    const cookie = await relay.enter({ orgId: one.orgId, person, vault: 'v' })
    const status = async () =>
      (await relay.ask({ host: one.host, path: '/api/vaults/v/tree', headers: { cookie } })).status
    expect(await status()).toBe(200)
    const socket = new WebSocket(`ws://127.0.0.1:${relay.port}/api/vaults/v/live/a.md`, {
      headers: { host: one.host, cookie, origin: one.origin },
    })
    await new Promise((resolve) => socket.once('open', resolve))
    const socketClosed = new Promise((resolve) => socket.once('close', resolve))
    const stream = connect(relay.port, '127.0.0.1')
    stream.write(`GET /api/vaults/v/events HTTP/1.1\r\nHost: ${one.host}\r\nCookie: ${cookie}\r\n\r\n`)
    await new Promise((resolve) => stream.once('data', resolve))
    const streamClosed = new Promise((resolve) => stream.once('close', resolve))
    stream.resume()

    await end({ relay, one, person, cookie })
    clock.pass(5_000)
    await Promise.all([socketClosed, streamClosed])
    await until(async () => (await status()) === 401)
  })

  it('is left behind by a reset of the vault origin', async () => {
    const one = await harness.makeOrganization()
    await harness.db.transaction().execute((trx) => resetVaultOrigin(trx, { orgId: one.orgId, clock: systemClock }))
    expect(await harness.relay.origins.originOf(one.orgId)).not.toBe(one.origin)
    await until(async () => (await harness.ask({ host: one.host })).status === 421)
  })
})

describe('keys', () => {
  it('are rotated with overlap: no request fails while the daemon changes keys', async () => {
    verifies('cp.key-grace')
    const one = await harness.makeOrganization()
    const old = await listen(one)
    await until(async () => (await harness.relay.status(one.orgId)).connected)
    const person = await harness.makePerson(one.orgId)
    const cookie = await harness.enter({ orgId: one.orgId, person, vault: 'v' })
    const statuses: number[] = []
    let running = true
    const load = (async () => {
      while (running)
        statuses.push((await harness.ask({ host: one.host, path: '/api/vaults/v/tree', headers: { cookie } })).status)
    })()
    const { apiKey } = await harness.db
      .transaction()
      .execute((trx) => rotateDaemonKey(trx, { orgId: one.orgId, clock: systemClock }))
    const fresh = await listen({ ...one, apiKey })
    await until(
      async () => (await harness.relay.status(one.orgId)).tunnels === 1 && !old.connection.status().controlConnected,
    )
    running = false
    await load
    expect([...new Set(statuses)]).toEqual([200])
    await old.close()
    await fresh.close()
  })

  it('close their tunnels at once when cut', async () => {
    const one = await harness.makeOrganization()
    const cut = await listen(one)
    await until(async () => (await harness.relay.status(one.orgId)).connected)
    await harness.db.transaction().execute((trx) => rotateDaemonKeyNow(trx, { orgId: one.orgId, clock: systemClock }))
    await until(async () => !(await harness.relay.status(one.orgId)).connected)
    await cut.close()
  })

  it('belong to the first home that used them', async () => {
    verifies('security.instance-pinning')
    const one = await harness.makeOrganization()
    const first = await listen(one)
    await until(async () => (await harness.relay.status(one.orgId)).connected)
    const copy = await listen(one)
    await until(async () => (await harness.relay.status(one.orgId)).instanceConflict)
    expect((await harness.relay.status(one.orgId)).tunnels).toBe(1)
    await copy.close()
    await first.close()
  })

  it('that are wrong are limited', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 12; i += 1) {
      const error = await new Promise<Error>((resolve) => {
        const socket = new WebSocket(`ws://127.0.0.1:${harness.port}/t/${org.orgId}`, ['svc-relay.v1'], {
          headers: { authorization: `Bearer svc_dmn_${'A'.repeat(43)}` },
        })
        socket.once('error', resolve)
      })
      statuses.push(Number(/\d{3}/.exec(error.message)?.[0]))
    }
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401))
    expect(statuses.slice(10)).toEqual([429, 429])
  })
})
