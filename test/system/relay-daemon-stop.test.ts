import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { decodeFrames, encodeFrames, frameTypes, jsonFrame } from '@svc/shared/mux/frame.ts'
import { idPrefixes, newId } from '@svc/shared/wire/ids.ts'
import { TUNNEL_SUBPROTOCOL, type RelayHello } from '@svc/shared/wire/tunnel-hello.ts'
import { WebSocketServer, type WebSocket } from 'ws'
import { dialRelay } from '../../daemon/src/relay/dial-relay.ts'
import { loadRelayIdentity } from '../../daemon/src/relay/relay-identity.ts'
import { startRelay } from '../support/relay.ts'
import { startSvcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

const orgId = newId(idPrefixes.organization)
const hello: RelayHello = {
  protocol: 1,
  challenge: 'c'.repeat(43),
  issuer: 'http://localhost:1',
  orgId,
  daemonId: newId(idPrefixes.daemon),
  replicaId: 'replica',
  connectionId: 'connection',
  tunnels: 2,
  replicas: 1,
  maxFrameBytes: 65_536,
  maxStreams: 16,
  initialWindow: 65_536,
  heartbeatSeconds: 15,
  keys: [],
}

/** Stops a daemon whose relay does that with its goodbye; answers what it logged that is worth a warning. */
async function stopWith(onGoodbye: (socket: WebSocket) => void): Promise<string[]> {
  const home = await mkdtemp(join(tmpdir(), 'svc-daemon-stop-'))
  const relay = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => TUNNEL_SUBPROTOCOL })
  await once(relay, 'listening')
  let greeted = 0
  relay.on('connection', (socket) => {
    socket.send(encodeFrames([jsonFrame(frameTypes.hello, hello)]))
    socket.on('message', (data: Buffer) =>
      decodeFrames(data, (type) => {
        if (type === frameTypes.hello) greeted += 1
        if (type === frameTypes.goAway) onGoodbye(socket)
      }),
    )
  })
  const lines: string[] = []
  const connection = dialRelay({
    url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}/t/${orgId}`,
    key: { kind: 'text', token: new Secret('svc_dmn_key') },
    identity: await loadRelayIdentity(join(home, 'relay-identity.pem')),
    version: '0.0.0-test',
    serve: () => {},
    clock: systemClock,
    log: createLog({ service: 'test', level: 'warn', destination: { write: (line) => void lines.push(line) } }),
  })
  await until('both tunnels are up', () => greeted === 2)
  await connection.stop()
  relay.close()
  await rm(home, { recursive: true, force: true })
  return lines
}

test.each<[string, (socket: WebSocket) => void]>([
  ['closes at once', (socket) => socket.close(1012, 'replaced')],
  ['goes without a word', (socket) => socket.terminate()],
  ['does nothing', () => {}],
])('a daemon that stops is not surprised by a relay that %s', async (_what, onGoodbye) => {
  expect(await stopWith(onGoodbye)).toEqual([])
})

test('svcd stops in order and warns of nothing, in the middle of an answer too', async () => {
  const relay = await startRelay({ tunnelsPerDaemon: 2 })
  const org = await relay.makeOrganization()
  const svcd = await startSvcd({
    env: { SVC_RELAY_URL: `http://127.0.0.1:${relay.port}/t/${org.orgId}`, SVC_RELAY_TOKEN: org.apiKey },
  })
  await until('both tunnels are up', () => relay.relay.tunnelCount() === 2)
  const cookie = await relay.enter({ orgId: org.orgId, person: await relay.makePerson(org.orgId), vault: 'demo-vault' })
  const headers = { host: org.host, cookie }
  const path = '/api/vaults/demo-vault/events'
  const reading = request({ host: '127.0.0.1', port: relay.port, path, headers, setHost: false, agent: false }).end()
  const [events] = (await once(reading, 'response')) as [IncomingMessage]
  events.on('error', () => {}).resume() // it is cut

  expect(await svcd.stop()).toBe(0)
  expect(
    svcd
      .output()
      .split('\n')
      .filter((line) => /"level":"(?:warn|error|fatal)"/.test(line)),
  ).toEqual([])
  await svcd.remove()
  await relay.close()
})
