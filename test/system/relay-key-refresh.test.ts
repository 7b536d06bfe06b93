import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { frameTypes } from '@svc/shared/mux/frame.ts'
import { Tunnel } from '@svc/shared/mux/tunnel.ts'
import { relayedContext } from '../../daemon/src/entry/tunnel-context.ts'
import { loadRelayIdentity } from '../../daemon/src/relay/relay-identity.ts'
import { serveTunnel } from '../../daemon/src/relay/serve-tunnel.ts'
import { verifies } from '../requirements.ts'
import { helloOf } from '../support/dialled-relay.ts'
import { socketPair } from '../support/socket-pair.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { standsStill } from '../support/stands-still.ts'
import { until } from '../support/until.ts'

let home: string | undefined
afterEach(async () => {
  if (home !== undefined) await removeFolder(home)
})

test('a daemon asks its relay for keys at most once a minute, however many unknown ones it meets', async () => {
  verifies('security.key-refresh')
  home = await mkdtemp(join(tmpdir(), 'svc-key-refresh-'))
  const hello = helloOf(1)
  let monotonic = 1_000_000
  const clock = { ...systemClock, monotonic: () => monotonic }
  let asked = 0
  const streams = Promise.withResolvers<object>()
  const [near, far] = socketPair()
  const limits = { maxStreams: 16, maxFrameBytes: 65_536, initialWindow: 65_536, heartbeatMs: 15_000 }
  const relay = new Tunnel({
    socket: near,
    side: 'relay',
    limits,
    clock: systemClock,
    events: {
      keysWanted: () => {
        asked += 1
        relay.tell(frameTypes.keys, { keys: [] })
      },
      closed: () => {},
    },
  })
  const daemon = serveTunnel({
    socket: far,
    identity: await loadRelayIdentity(join(home, 'identity.pem')),
    orgId: hello.orgId,
    version: '0.0.0-test',
    keyGeneration: undefined,
    accept: () => true,
    serve: (stream) => streams.resolve(stream),
    clock,
  })
  relay.tell(frameTypes.hello, hello)
  expect(await daemon.ready).toBeDefined()
  relay.openSocket().write('x')
  const context = relayedContext(await streams.promise)!

  /** The daemon waits three seconds for keys, so on a slow machine it may go on before the relay has its question. */
  const hasAsked = async (times: number) => {
    await until('the relay is asked', () => asked >= times)
    await standsStill(() => asked, setImmediate)
    expect(asked).toBe(times)
  }
  for (let unknown = 0; unknown < 100; unknown++) await context.refreshKeys()
  await hasAsked(1)
  monotonic += 59_999
  await context.refreshKeys()
  await hasAsked(1)
  monotonic += 1
  await context.refreshKeys()
  await hasAsked(2)
  daemon.close()
  relay.close(1000, '')
})
