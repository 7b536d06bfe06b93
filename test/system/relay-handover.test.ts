import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import {
  bareFrame,
  decodeFrames,
  encodeFrames,
  frameTypes,
  jsonFrame,
  readJson,
  TUNNEL,
} from '@svc/shared/mux/frame.ts'
import { TUNNEL_SUBPROTOCOL, type GoAway } from '@svc/shared/wire/tunnel-hello.ts'
import { WebSocketServer, type WebSocket } from 'ws'
import { verifies } from '../requirements.ts'
import { dialPlayedRelay, helloOf } from '../support/dialled-relay.ts'
import { until } from '../support/until.ts'

/** Longer than a daemon waits after the registration of its new tunnel. */
const SLOW_MS = 3_000

const register = (socket: WebSocket) => socket.send(encodeFrames([bareFrame(frameTypes.registered, TUNNEL)]))
const sendAway = (socket: WebSocket, reason: GoAway['reason']) => {
  const goAway: GoAway = { reason, reconnectAfterMs: 0 }
  socket.send(encodeFrames([jsonFrame(frameTypes.goAway, goAway)]))
}

type OnNext = (socket: WebSocket, number: number, wasRetired: (number: number) => boolean) => Promise<string> | string

/**
 * A relay whose first tunnel is registered and told to move. `onNext` plays it for each tunnel after that, and says
 * what it did. Returns in what order that happened and the daemon retired tunnels, with the reason that it gave.
 */
async function orderOfHandover(onNext: OnNext) {
  const relay = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => TUNNEL_SUBPROTOCOL })
  await once(relay, 'listening')
  const order: string[] = []
  const wasRetired = (number: number) => order.includes(`${number} is replaced`)
  let tunnels = 0
  relay.on('connection', (socket) => {
    const number = (tunnels += 1)
    socket.send(encodeFrames([jsonFrame(frameTypes.hello, helloOf(1))]))
    const greeted = async () => {
      if (number > 1) return void order.push(await onNext(socket, number, wasRetired))
      register(socket)
      sendAway(socket, 'draining')
    }
    socket.on('message', (data: Buffer) =>
      decodeFrames(data, (type, _stream, payload) => {
        if (type === frameTypes.hello) void greeted()
        if (type === frameTypes.goAway) order.push(`${number} is ${(readJson(payload) as GoAway).reason}`)
      }),
    )
  })
  const daemon = await dialPlayedRelay((relay.address() as AddressInfo).port)
  await until('the daemon retires the first tunnel', () => wasRetired(1))
  await daemon.stop()
  relay.close()
  return order.slice(0, order.indexOf('1 is replaced') + 1)
}

test('a daemon keeps its old tunnel until the relay has registered the new one, however long that takes', async () => {
  verifies('relay.handover')
  const order = await orderOfHandover(async (socket) => {
    await systemClock.sleep(SLOW_MS)
    register(socket)
    return '2 is registered'
  })
  expect(order).toEqual(['2 is registered', '1 is replaced'])
})

test('a daemon keeps its old tunnel while the relay refuses the new ones', async () => {
  verifies('relay.handover')
  const order = await orderOfHandover((socket, number) => {
    if (number === 4) {
      register(socket)
      return '4 is registered'
    }
    sendAway(socket, 'instance_conflict')
    if (number === 2) socket.close(4409, 'daemon_instance_conflict')
    return `${number} is refused`
  })
  expect(order).toEqual(['2 is refused', '3 is refused', '4 is registered', '1 is replaced'])
})

test('a tunnel that is registered only after it was sent away takes no place of the old one', async () => {
  verifies('relay.handover')
  let second: WebSocket | undefined
  const order = await orderOfHandover(async (socket, number, wasRetired) => {
    if (number === 2) {
      second = socket
      sendAway(socket, 'overloaded')
      return '2 is sent away'
    }
    register(second!)
    await until('the daemon retires the second tunnel', () => wasRetired(2))
    register(socket)
    return '3 is registered'
  })
  expect(order).toEqual(['2 is sent away', '2 is replaced', '3 is registered', '1 is replaced'])
})
