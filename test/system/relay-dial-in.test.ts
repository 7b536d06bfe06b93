import { mkdtemp } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { systemClock } from '@svc/shared/kit/clock.ts'
import type { VerificationKey } from '@svc/shared/wire/assertions.ts'
import { TUNNEL_SUBPROTOCOL } from '@svc/shared/wire/tunnel-hello.ts'
import { mintDaemonKey } from '../../control-plane/src/daemon-keys/daemon-key.ts'
import { rotateDaemonKey, rotateDaemonKeyNow } from '../../control-plane/src/daemon-keys/rotate-daemon-key.ts'
import { revocationsRepository } from '../../control-plane/src/entry/revocations.repository.ts'
import { assertionUses } from '../../control-plane/src/entry/signing-keys.ts'
import { relayedContext } from '../../daemon/src/entry/tunnel-context.ts'
import { loadRelayIdentity } from '../../daemon/src/relay/relay-identity.ts'
import { serveTunnel } from '../../daemon/src/relay/serve-tunnel.ts'
import { verifies } from '../requirements.ts'
import { startRelay } from '../support/relay.ts'
import { startDaemon, until, type RelayHarness } from '../support/relay-replica.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { until as untilNamed } from '../support/until.ts'

// A small accept budget of ten per second, which a few strangers can use up.
let harness: RelayHarness
let home: string
beforeAll(async () => {
  harness = await startRelay({ acceptsPerSecond: 10, trustedProxies: ['127.0.0.1'] })
  home = await mkdtemp(join(tmpdir(), 'svc-dial-in-'))
})
afterAll(async () => {
  await harness?.close()
  await removeFolder(home)
})

const findDaemon = (orgId: string) =>
  harness.db.selectFrom('daemons').selectAll().where('org_id', '=', orgId).executeTakeFirst()

type Dial = { orgId: string; key: string; from: string }

function open({ orgId, key, from }: Dial): WebSocket {
  return new WebSocket(`ws://127.0.0.1:${harness.port}/t/${orgId}`, [TUNNEL_SUBPROTOCOL], {
    headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': from },
  })
}
const dial = (given: Dial): Promise<number> => {
  const socket = open(given)
  return new Promise((resolve) => {
    socket.on('error', () => {})
    socket.once('open', () => (socket.terminate(), resolve(101)))
    socket.once('unexpected-response', (_request, { statusCode }) => (socket.terminate(), resolve(statusCode ?? 0)))
  })
}

test('random keys, from however many addresses, take no tunnel from a daemon that shows its own', async () => {
  verifies('security.dial-in-fair')
  const org = await harness.makeOrganization()
  const strangers = Array.from({ length: 200 }, (_, i) =>
    dial({ orgId: org.orgId, key: mintDaemonKey(), from: `198.51.100.${i}` }),
  )
  expect(new Set(await Promise.all(strangers))).toEqual(new Set([401]))
  expect(await dial({ orgId: org.orgId, key: org.apiKey, from: '203.0.113.1' })).toBe(101)
})

test('one address that dials without pause is told to wait before its keys are looked up; others are not', async () => {
  const org = await harness.makeOrganization()
  const from = '198.51.100.250'
  const began = systemClock.monotonic()
  const statuses = await Promise.all(
    Array.from({ length: 60 }, () => dial({ orgId: org.orgId, key: mintDaemonKey(), from })),
  )
  const lookedUp = statuses.filter((status) => status === 401).length
  // The budget: one at once, the next ones of two seconds after a wait, and ten per second for the time so far.
  expect(lookedUp).toBeLessThanOrEqual(11 + (10 * (systemClock.monotonic() - began)) / 1_000)
  expect(statuses.every((status) => [401, 429, 503].includes(status))).toBe(true)
  await until(async () => (await dial({ orgId: org.orgId, key: org.apiKey, from: '203.0.113.2' })) === 101)
})

/** Repeats a dial until it gets a tunnel. All tests share the accept budget, which may be used up for a while. */
async function admitted<T>(dialled: () => Promise<T>): Promise<T> {
  let tunnel: T | undefined
  await until(async () => (tunnel = await dialled().catch(() => undefined)) !== undefined)
  return tunnel!
}

/** Dials with a valid key and does not respond to the relay's hello until `say` is called. */
async function dialSilently(org: { orgId: string; apiKey: string }, from: string) {
  const socket = open({ orgId: org.orgId, key: org.apiKey, from })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => (socket.pause(), resolve()))
    socket.on('error', reject)
  })
  return {
    socket,
    say: async (serve: (stream: Duplex) => void = () => {}) => {
      const session = serveTunnel({
        socket,
        identity: await loadRelayIdentity(join(home, `${from}.pem`)),
        orgId: org.orgId,
        version: '0.0.0-test',
        keyGeneration: undefined,
        accept: () => true,
        serve,
        clock: systemClock,
      })
      socket.resume()
      return session
    },
  }
}

/** Why the relay closes a tunnel whose daemon says no hello for ten seconds. A busy machine may need as long. */
const TOO_LATE = 'no hello'

/** Connects a daemon once and ends its tunnel. */
async function connectOnce(org: { orgId: string; apiKey: string }, from: string): Promise<void> {
  const session = await (await admitted(() => dialSilently(org, from))).say()
  await until(async () => (await harness.relay.status(org.orgId)).connected)
  session.close()
  await until(async () => !(await harness.relay.status(org.orgId)).connected)
}

test.each([
  ['revoked', 'dials for the first time', rotateDaemonKeyNow],
  ['replaced and expired', 'dials for the first time', rotateDaemonKey],
  ['revoked', 'returns', rotateDaemonKeyNow],
  ['replaced and expired', 'returns', rotateDaemonKey],
])('a key that is %s while a daemon that %s says no hello opens no tunnel', async (what, how, rotate) => {
  verifies('security.key-rechecked')
  const from = `203.0.113.${what.length + how.length}`
  let closed: { code: number; reason: string }
  await untilNamed('the hello comes in time', async () => {
    const org = await harness.makeOrganization()
    if (how === 'returns') await connectOnce(org, from)
    const silent = await admitted(() => dialSilently(org, from))
    await harness.db.transaction().execute((trx) => rotate(trx, { orgId: org.orgId, clock: systemClock }))
    if (rotate === rotateDaemonKey)
      await harness.db
        .updateTable('daemon_keys')
        .set({ expires_at: systemClock.now() })
        .where('daemon_id', '=', org.daemonId)
        .where('expires_at', 'is not', null)
        .execute()

    closed = await (await silent.say()).closed
    expect(harness.relay.findTunnel(org.orgId)).toBeUndefined()
    return closed.reason !== TOO_LATE
  })
  expect(closed!).toEqual({ code: 4401, reason: 'key_revoked' })
})

test('a message that is no WebSocket frame, sent with the dial-in, ends that connection alone', async () => {
  verifies('security.upgrade-errors')
  const org = await harness.makeOrganization()
  const head = [
    `GET /t/${org.orgId} HTTP/1.1`,
    'host: relay',
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
    `sec-websocket-protocol: ${TUNNEL_SUBPROTOCOL}`,
    `authorization: Bearer ${org.apiKey}`,
    'x-forwarded-for: 203.0.113.80',
  ]
  await untilNamed('the dial is admitted', async () => {
    // The keys that daemons get are kept for a second. Then they are read again, which takes turns of the event loop.
    await systemClock.sleep(1_100)
    const socket = connect(harness.port, '127.0.0.1')
    socket.write(Buffer.concat([Buffer.from([...head, '', ''].join('\r\n')), Buffer.from([0xf2, 0x01, 0x00])]))
    return (await text(socket.on('error', () => {}))).startsWith('HTTP/1.1 101 ')
  })
  await connectOnce(org, '203.0.113.81')
})

test('a daemon that returns is recorded soon after; another version of it at once', async () => {
  const org = await harness.makeOrganization()
  const from = '203.0.113.70'
  await connectOnce(org, from)
  const longAgo = new Date(systemClock.now().getTime() - 3_600_000)
  const daemon = () => harness.db.updateTable('daemons').where('id', '=', org.daemonId)
  await until(async () => {
    // Until the times of the first connection are written, they may still replace these.
    await daemon().set({ last_seen_at: longAgo }).execute()
    await harness.db.updateTable('daemon_keys').set({ last_used_at: longAgo }).execute()
    await systemClock.sleep(1_500)
    const { last_seen_at } = (await findDaemon(org.orgId))!
    return last_seen_at?.getTime() === longAgo.getTime()
  })

  await connectOnce(org, from)
  const lastUsed = () =>
    harness.db.selectFrom('daemon_keys').select('last_used_at').where('daemon_id', '=', org.daemonId).executeTakeFirst()
  await until(async () => (await lastUsed())!.last_used_at! > longAgo)
  await until(async () => (await findDaemon(org.orgId))!.last_seen_at! > longAgo)

  await daemon().set({ version: 'an older one' }).execute()
  await connectOnce(org, from)
  expect(await findDaemon(org.orgId)).toMatchObject({ version: '0.0.0-test' })
})

test('a daemon whose hello comes after signing keys were withdrawn gets the new ones', async () => {
  verifies('signing-keys.withdrawal')
  const { signingKeys, revocations } = harness.relay
  const kids = (keys: readonly VerificationKey[]) => keys.map(({ kid }) => kid).toSorted()
  await untilNamed('the hello comes in time', async () => {
    const org = await harness.makeOrganization()
    const withdrawn = kids(await signingKeys.published())
    const silent = await admitted(() => dialSilently(org, '203.0.113.60'))
    await harness.db.transaction().execute(async (trx) => {
      for (const use of assertionUses) await signingKeys.replaceIn(trx, use, 'at_once')
      await revocationsRepository(trx, systemClock).insert({ kind: 'signing_keys', subject: 'all' })
    })
    await revocations.poll()
    const present = kids(await signingKeys.published())
    expect(present).not.toEqual(withdrawn)

    const streams = Promise.withResolvers<Duplex>()
    const session = await silent.say(streams.resolve)
    if (!(await session.registered) && (await session.closed).reason === TOO_LATE) return false
    await until(async () => harness.relay.findTunnel(org.orgId) !== undefined)
    harness.relay.findTunnel(org.orgId)!.tunnel.openSocket().write('x')
    const context = relayedContext(await streams.promise)!
    const hasPresent = () => kids(context.keys()).join() === present.join()
    // Sooner than the upkeep, which sends changed keys every minute.
    await untilNamed('the daemon has the present keys', hasPresent, { withinMs: 40_000 })
    session.close()
    return true
  })
})

test('a conflict of two homes is audited once, however often the second one dials', async () => {
  verifies('security.conflict-audited')
  const org = await harness.makeOrganization()
  const audited = () =>
    harness.db.selectFrom('audit_entries').select('record').where('chain', '=', org.orgId).orderBy('seq').execute()
  const first = await startDaemon(harness, org, () => {})
  await until(async () => (await harness.relay.status(org.orgId)).connected)
  /** Repeats the dial of the other home until it is refused for the conflict; the accept budget may delay that. */
  const refusedOnce = (from: string) =>
    until(async () => {
      const other = await dialSilently(org, from).catch(() => undefined)
      return other !== undefined && (await (await other.say()).closed).code === 4409
    })
  for (let i = 0; i < 3; i += 1) await refusedOnce('203.0.113.50')
  // The rightful daemon returns, which clears the shown conflict. The other home still dials.
  await first.close()
  const again = await startDaemon(harness, org, () => {})
  await refusedOnce('203.0.113.50')
  const [entry, ...more] = await audited()
  expect(more).toEqual([])
  expect(JSON.parse(entry!.record)).toMatchObject({
    event: 'daemon.instance_conflict',
    actor: { kind: 'system', id: 'relay' },
    orgId: org.orgId,
    subject: org.daemonId,
  })

  const hourAgo = new Date(systemClock.now().getTime() - 3_600_000)
  await harness.db.updateTable('daemons').set({ instance_conflict_seen_at: hourAgo }).execute()
  await refusedOnce('203.0.113.50')
  expect(await audited()).toHaveLength(2)
  await again.close()
})

test('a home that takes over with a new key is audited once; the same home with a new key is not', async () => {
  verifies('security.conflict-audited')
  const org = await harness.makeOrganization()
  const rotated = async () => {
    const trx = harness.db.transaction()
    const { apiKey } = await trx.execute((inside) => rotateDaemonKey(inside, { orgId: org.orgId, clock: systemClock }))
    return { ...org, apiKey }
  }
  const connect = async (key: { orgId: string; apiKey: string }, from: string) => {
    const daemon = await (await admitted(() => dialSilently(key, from))).say()
    await until(async () => (await harness.relay.status(org.orgId)).connected)
    return daemon
  }
  const pinned = async (count: number) =>
    until(async () => {
      const keys = await harness.db
        .selectFrom('daemon_keys')
        .select('instance_key')
        .where('daemon_id', '=', org.daemonId)
        .execute()
      return keys.filter(({ instance_key }) => instance_key !== null).length === count
    })
  const audited = () =>
    harness.db.selectFrom('audit_entries').select('record').where('chain', '=', org.orgId).orderBy('seq').execute()

  await connect(org, '203.0.113.60')
  await pinned(1)
  const second = await rotated()
  await connect(second, '203.0.113.60')
  await pinned(2)
  expect(await audited()).toEqual([])

  const third = await rotated()
  await connect(third, '203.0.113.61')
  await pinned(3)
  await connect(third, '203.0.113.61')
  const records = (await audited()).map(({ record }) => JSON.parse(record))
  expect(records).toEqual([
    expect.objectContaining({
      event: 'daemon.taken_over',
      actor: { kind: 'system', id: 'relay' },
      orgId: org.orgId,
      subject: org.daemonId,
    }),
  ])
})
