import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { bareFrame, decodeFrames, encodeFrames, frameTypes, jsonFrame, TUNNEL } from '@svc/shared/mux/frame.ts'
import { TUNNEL_SUBPROTOCOL, type GoAway } from '@svc/shared/wire/tunnel-hello.ts'
import { WebSocketServer } from 'ws'
import { verifies } from '../requirements.ts'
import { dialPlayedRelay, helloOf } from '../support/dialled-relay.ts'
import { until } from '../support/until.ts'

/** Longer than a daemon waits after the registration of its new tunnel. */
const SLOW_MS = 3_000

test('a daemon keeps its old tunnel until the relay has registered the new one, however long that takes', async () => {
  verifies('relay.handover')
  const relay = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => TUNNEL_SUBPROTOCOL })
  await once(relay, 'listening')
  const registered = encodeFrames([bareFrame(frameTypes.registered, TUNNEL)])
  const draining = { reason: 'draining', reconnectAfterMs: 0 } satisfies GoAway
  const order: string[] = []
  let tunnels = 0
  relay.on('connection', (socket) => {
    const isFirst = (tunnels += 1) === 1
    socket.send(encodeFrames([jsonFrame(frameTypes.hello, helloOf(1))]))
    const greeted = async () => {
      if (!isFirst) await systemClock.sleep(SLOW_MS)
      order.push(isFirst ? 'the first is registered' : 'the second is registered')
      socket.send(registered)
      if (isFirst) socket.send(encodeFrames([jsonFrame(frameTypes.goAway, draining)]))
    }
    socket.on('message', (data: Buffer) =>
      decodeFrames(data, (type) => {
        if (type === frameTypes.hello) void greeted()
        if (type === frameTypes.goAway && isFirst) order.push('the first is retired')
      }),
    )
  })
  const daemon = await dialPlayedRelay((relay.address() as AddressInfo).port)
  await until('the daemon retires the first tunnel', () => order.includes('the first is retired'))
  expect(order).toEqual(['the first is registered', 'the second is registered', 'the first is retired'])
  await daemon.stop()
  relay.close()
})
