import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { encodeFrames, frameTypes, jsonFrame } from '@svc/shared/mux/frame.ts'
import { TUNNEL_SUBPROTOCOL } from '@svc/shared/wire/tunnel-hello.ts'
import { dialPlayedRelay, helloOf } from '../support/dialled-relay.ts'

/** An unmasked binary message of a WebSocket server. */
function message(payload: Buffer): Buffer {
  const head = Buffer.from([0x82, 126, 0, 0])
  head.writeUInt16BE(payload.length, 2)
  return Buffer.concat([head, payload])
}

test('a message in the same packet as the handshake’s response is received', async () => {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {})
    socket.once('data', (request) => {
      const key = /sec-websocket-key: (\S+)/i.exec(String(request))?.[1] ?? ''
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
      const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
      lines.push(`Sec-WebSocket-Accept: ${accept}`, `Sec-WebSocket-Protocol: ${TUNNEL_SUBPROTOCOL}`, '', '')
      socket.write(
        Buffer.concat([
          Buffer.from(lines.join('\r\n')),
          message(encodeFrames([jsonFrame(frameTypes.hello, helloOf(1))])),
        ]),
      )
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const daemon = await dialPlayedRelay((server.address() as AddressInfo).port)
  await expect.poll(() => daemon.status().controlConnected).toBe(true)
  await daemon.stop()
  server.close()
})
