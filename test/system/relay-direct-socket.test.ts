import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { directSocket, messageHeader } from '@svc/shared/mux/direct-socket.ts'

/** The least and the greatest length for each of the three forms of a header. */
const LENGTHS = [0, 1, 125, 126, 127, 65_535, 65_536, 300_000]

describe('a message that goes straight to the connection', () => {
  const server = createServer()
  const sockets = new WebSocketServer({ noServer: true })
  let near: WebSocket
  let far: WebSocket
  let nearConnection: Duplex
  let farConnection: Duplex

  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const served = new Promise<void>((resolve) => {
      server.on('upgrade', (request, socket, head) =>
        sockets.handleUpgrade(request, socket, head, (webSocket) => {
          far = webSocket
          farConnection = socket
          resolve()
        }),
      )
    })
    near = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      generateMask: (mask) => void mask.fill(0),
    })
    near.once('upgrade', ({ socket }: { socket: Socket }) => (nearConnection = socket))
    await Promise.all([served, once(near, 'open')])
  })
  afterAll(() => {
    near.terminate()
    server.close()
  })

  it.each(LENGTHS)('of %i bytes is read by ws as it was written, from both sides', async (length) => {
    const payload = Buffer.alloc(length, 'x')
    const sides = [
      { from: directSocket(near, nearConnection, 'client_without_mask'), to: far },
      { from: directSocket(far, farConnection, 'server'), to: near },
    ]
    for (const { from, to } of sides) {
      const came = once(to, 'message')
      from.send(Buffer.concat([from.lead!(length), payload]), () => {})
      const [message, isBinary] = (await came) as [Buffer, boolean]
      expect({ isBinary, same: message.equals(payload) }).toEqual({ isBinary: true, same: true })
    }
  })

  it('fails once the WebSocket is closing, and writes nothing after its close frame', async () => {
    const direct = directSocket(far, farConnection, 'server')
    direct.close(1000, 'done')
    const error = await new Promise((resolve) =>
      direct.send(Buffer.concat([messageHeader(1, 'server'), Buffer.of(1)]), resolve),
    )
    expect(error).toBeInstanceOf(Error)
    expect((await once(near, 'close'))[0]).toBe(1000)
  })
})
