import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { encodeFrames, frameTypes, jsonFrame } from '@svc/shared/mux/frame.ts'
import { idPrefixes, newId } from '@svc/shared/wire/ids.ts'
import { TUNNEL_SUBPROTOCOL, type RelayHello } from '@svc/shared/wire/tunnel-hello.ts'
import { dialRelay } from '../../daemon/src/relay/dial-relay.ts'
import { loadRelayIdentity } from '../../daemon/src/relay/relay-identity.ts'

const orgId = newId(idPrefixes.organization)
const hello: RelayHello = {
  protocol: 1,
  challenge: 'c'.repeat(43),
  issuer: 'http://localhost:1',
  orgId,
  daemonId: newId(idPrefixes.daemon),
  replicaId: 'replica',
  connectionId: 'connection',
  tunnels: 1,
  replicas: 1,
  maxFrameBytes: 65_536,
  maxStreams: 16,
  initialWindow: 65_536,
  heartbeatSeconds: 15,
  keys: [],
}

/** An unmasked binary message of a WebSocket server. */
function message(payload: Buffer): Buffer {
  const head = Buffer.from([0x82, 126, 0, 0])
  head.writeUInt16BE(payload.length, 2)
  return Buffer.concat([head, payload])
}

test('a relay that speaks in the packet that opens the socket is heard', async () => {
  const home = await mkdtemp(join(tmpdir(), 'svc-first-words-'))
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {})
    socket.once('data', (request) => {
      const key = /sec-websocket-key: (\S+)/i.exec(String(request))?.[1] ?? ''
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
      const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
      lines.push(`Sec-WebSocket-Accept: ${accept}`, `Sec-WebSocket-Protocol: ${TUNNEL_SUBPROTOCOL}`, '', '')
      socket.write(
        Buffer.concat([Buffer.from(lines.join('\r\n')), message(encodeFrames([jsonFrame(frameTypes.hello, hello)]))]),
      )
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connection = dialRelay({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/t/${orgId}`,
    key: { kind: 'text', token: new Secret('svc_dmn_key') },
    identity: await loadRelayIdentity(join(home, 'relay-identity.pem')),
    version: '0.0.0-test',
    serve: () => {},
    clock: systemClock,
    log: createLog({ service: 'test', level: 'silent' }),
  })
  await expect.poll(() => connection.status().controlConnected, { timeout: 3_000 }).toBe(true)
  await connection.stop()
  server.close()
  await rm(home, { recursive: true, force: true })
})
