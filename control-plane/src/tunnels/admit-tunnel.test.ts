import { generateKeyPairSync, sign } from 'node:crypto'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { encodeFrames, frameTypes, jsonFrame } from '@svc/shared/mux/frame.ts'
import { Tunnel } from '@svc/shared/mux/tunnel.ts'
import { idPrefixes } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { instanceProofText, RelayHello, type GoAway } from '@svc/shared/wire/tunnel-hello.ts'
import { expect, test, vi } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { socketPair } from '../../../test/support/socket-pair.ts'
import { createAdmitTunnel } from './admit-tunnel.ts'
import { retireTunnel } from './retire-tunnel.ts'
import { relayLimits } from './tunnel-handshake.ts'
import { createTunnels, type HeldTunnel } from './tunnels.ts'

/**
 * A daemon whose tunnel the relay holds. `left` counts removals of its directory entry; `departed` records its
 * departures, `daemonLeft` those of a daemon that stops, `stopped` its use until then; `confirmed` is called when the
 * daemon is told that it is held.
 */
async function holdTunnel() {
  const dialled = dial()
  const { tunnels, orgId } = dialled
  const held = await vi.waitFor((): HeldTunnel => tunnels.list(orgId)[0]! ?? expect.fail('not held'))
  return { ...dialled, held, close: () => held.tunnel.close(1001, 'over') }
}

/** A daemon that dials in. Its key is checked again in `connect`. */
function dial(connect = async (): Promise<'connected'> => 'connected') {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const [relaySide, daemonSide] = socketPair()
  const tunnels = createTunnels()
  const left = vi.fn<() => void>()
  const departed = vi.fn<(orgId: string) => void>()
  const daemonLeft = vi.fn<() => void>()
  const confirmed = vi.fn<(heldThen: number) => void>()
  const stopped = vi.fn<(orgId: string, activity: string) => void>()
  const closed = vi.fn<(code: number, reason: string) => void>()
  const { accept } = createAdmitTunnel({
    tunnelKeys: {
      find: async () => undefined,
      connect,
      disconnected: () => {},
    },
    tunnels,
    publishedKeys: { latest: async () => [], send: async () => {}, withdrawals: () => 0 },
    isHosted: async () => false,
    identity: { issuer: 'http://localhost:1', replicaId: 'replica', tunnels: 1 },
    maxTunnelsOf: () => 1,
    replicas: () => 1,
    accepting: () => true,
    budget: { take: () => ({ waitMs: 0 }) },
    lookups: { take: () => ({ waitMs: 0 }) },
    publishing: { hold: async (held) => (tunnels.add(held), true), left },
    reviewKeys: async () => {},
    revocationCount: () => 0,
    left: departed,
    daemonLeft,
    stopped,
    clock: systemClock,
    log: createLog({ service: 'test', level: 'silent' }),
  })
  const daemon = new Tunnel({
    socket: daemonSide,
    side: 'daemon',
    limits: relayLimits,
    clock: systemClock,
    events: {
      hello: (value) => {
        const hello = RelayHello.parse(value)
        daemon.tell(frameTypes.hello, {
          protocol: 1,
          version: '1.0.0',
          instanceId: String(publicKey.export({ format: 'jwk' }).x),
          proof: sign(null, Buffer.from(instanceProofText(hello)), privateKey).toString('base64url'),
          maxFrameBytes: relayLimits.maxFrameBytes,
        })
      },
      registered: () => confirmed(tunnels.all().length),
      closed,
    },
  })
  const [orgId, daemonId] = [newId(idPrefixes.organization), newId(idPrefixes.daemon)]
  const key = { keyId: 1, hash: Buffer.alloc(0), generation: null, instanceKey: null, version: null }
  const admitted = { orgId, daemonId, ...key, isUndisputed: true }
  accept({ key: admitted, verificationKeys: [], withdrawals: 0 }, relaySide)
  return { tunnels, orgId, left, departed, daemonLeft, stopped, confirmed, closed, daemonSide }
}

test('only the first go-away of a daemon is written to the directory', async () => {
  const { held, left, daemonSide, close } = await holdTunnel()
  const goAway = jsonFrame(frameTypes.goAway, { reason: 'replaced', reconnectAfterMs: 0 } satisfies GoAway)
  const sent = Promise.withResolvers<void>()
  daemonSide.send(encodeFrames(Array.from({ length: 1_000 }, () => goAway)), () => sent.resolve())
  await sent.promise
  expect(held.retiring).toBe(true)
  expect(left).toHaveBeenCalledTimes(1)
  close()
})

test('a daemon that stops leaves once, however often it says so', async () => {
  const { held, departed, daemonLeft, daemonSide, close } = await holdTunnel()
  const stopping = jsonFrame(frameTypes.goAway, { reason: 'stopping', reconnectAfterMs: 0 } satisfies GoAway)
  daemonSide.send(encodeFrames([stopping, stopping]), () => {})
  await vi.waitFor(() => expect(departed).toHaveBeenCalledWith(held.orgId))
  close()
  expect(daemonLeft).toHaveBeenCalledTimes(1)
})

test.each<[string, (held: HeldTunnel, tell: (goAway: unknown) => void) => void]>([
  ['is cut', ({ tunnel }) => tunnel.abort('no heartbeat')],
  ['is closed by this replica', (held) => retireTunnel(held, { reason: 'draining', reconnectAfterMs: 0 })],
  ['was replaced by a newer one', (_held, tell) => tell({ reason: 'replaced', reconnectAfterMs: 0 })],
  ['ends for a reason unknown here', (_held, tell) => tell({ reason: 'sunset', reconnectAfterMs: 0 })],
  ['ends for no valid reason', (_held, tell) => tell(null)],
])('a daemon whose tunnel %s has not left by itself', async (_how, end) => {
  const { held, departed, daemonLeft, daemonSide } = await holdTunnel()
  end(held, (goAway) => daemonSide.send(encodeFrames([jsonFrame(frameTypes.goAway, goAway)]), () => {}))
  await vi.waitFor(() => expect(departed).toHaveBeenCalledWith(held.orgId))
  expect(daemonLeft).not.toHaveBeenCalled()
  held.tunnel.close(1001, 'over')
})

test('a daemon that says go-away counts as departed before its tunnel closes', async () => {
  const { held, departed, daemonSide, close } = await holdTunnel()
  const goAway = jsonFrame(frameTypes.goAway, { reason: 'replaced', reconnectAfterMs: 0 } satisfies GoAway)
  let closedFirst = false
  departed.mockImplementation(() => (closedFirst ||= held.tunnel.closed))
  daemonSide.send(encodeFrames([goAway]), () => {})
  await vi.waitFor(() => expect(departed).toHaveBeenCalledWith(held.orgId))
  expect(closedFirst).toBe(false)
  close()
})

test('a daemon is told that its tunnel is registered once the relay holds it', async () => {
  const { confirmed, close } = await holdTunnel()
  await vi.waitFor(() => expect(confirmed).toHaveBeenCalledTimes(1))
  expect(confirmed).toHaveBeenCalledWith(1)
  close()
})

test('a daemon that leaves before its tunnel is registered gets no requests', async () => {
  const checking = Promise.withResolvers<void>()
  const checked = Promise.withResolvers<'connected'>()
  const { tunnels, orgId, confirmed, closed, daemonSide } = dial(() => (checking.resolve(), checked.promise))
  await checking.promise
  const goAway = jsonFrame(frameTypes.goAway, { reason: 'stopping', reconnectAfterMs: 0 } satisfies GoAway)
  await new Promise<void>((sent) => daemonSide.send(encodeFrames([goAway]), () => sent()))
  checked.resolve('connected')
  await vi.waitFor(() => expect(closed).toHaveBeenCalledWith(1012, 'the daemon leaves'))
  expect(tunnels.list(orgId)).toEqual([])
  expect(confirmed).not.toHaveBeenCalled()
})

test('what a daemon that stops says last of its use is told once, when its tunnel is gone', async () => {
  verifies('sleep.last-use')
  const { held, stopped, daemonLeft, daemonSide, close } = await holdTunnel()
  const says = (activity: string) =>
    jsonFrame(frameTypes.goAway, { reason: 'stopping', reconnectAfterMs: 0, activity } satisfies GoAway)
  daemonSide.send(encodeFrames([says('life-1'), says('life-2')]), () => {})
  await vi.waitFor(() => expect(daemonLeft).toHaveBeenCalled())
  expect(stopped).not.toHaveBeenCalled()
  close()
  expect(stopped.mock.calls).toEqual([[held.orgId, 'life-2']])
})
