import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { decodeFrames, encodeFrames, frameTypes, jsonFrame, readJson } from '@svc/shared/mux/frame.ts'
import { TUNNEL_SUBPROTOCOL, type GoAway } from '@svc/shared/wire/tunnel-hello.ts'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Use } from '../../daemon/src/relay/serve-tunnel.ts'
import { verifies } from '../requirements.ts'
import { dialPlayedRelay, helloOf } from '../support/dialled-relay.ts'
import { startRelay } from '../support/relay.ts'
import { startSvcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

/** A relay that greets daemons and keeps what they say when they leave. */
async function playRelay(onGoodbye: (socket: WebSocket) => void) {
  const relay = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => TUNNEL_SUBPROTOCOL })
  await once(relay, 'listening')
  let greeted = 0
  const said: unknown[] = []
  relay.on('connection', (socket) => {
    socket.send(encodeFrames([jsonFrame(frameTypes.hello, helloOf(2))]))
    socket.on('message', (data: Buffer) =>
      decodeFrames(data, (type, _stream, payload) => {
        if (type === frameTypes.hello) greeted += 1
        if (type !== frameTypes.goAway) return
        said.push(readJson(payload))
        onGoodbye(socket)
      }),
    )
  })
  const { port } = relay.address() as AddressInfo
  return { port, said, greeted: () => until('both tunnels are up', () => greeted === 2), close: () => relay.close() }
}

/** Stops a daemon whose relay handles its goodbye with `onGoodbye`; returns the daemon's warnings, and what it said. */
async function stopWith(onGoodbye: (socket: WebSocket) => void, use?: Use) {
  const relay = await playRelay(onGoodbye)
  const daemon = await dialPlayedRelay(relay.port)
  await relay.greeted()
  await daemon.stop(use)
  relay.close()
  return { warnings: daemon.warnings, said: relay.said }
}

test.each<[string, (socket: WebSocket) => void]>([
  ['closes at once', (socket) => socket.close(1012, 'replaced')],
  ['goes without a word', (socket) => socket.terminate()],
  ['does nothing', () => {}],
])('a daemon that stops is not surprised by a relay that %s', async (_what, onGoodbye) => {
  const { warnings, said } = await stopWith(onGoodbye)
  expect(warnings).toEqual([])
  expect(said).toEqual([
    { reason: 'stopping', reconnectAfterMs: 0 },
    { reason: 'stopping', reconnectAfterMs: 0 },
  ])
})

test('a daemon that stops tells each relay its use until then, also what comes late', async () => {
  verifies('sleep.last-use')
  let sequence = 'life-1'
  let begun = () => {}
  let tunnels = 0
  const lateRequest = (socket: WebSocket) => {
    tunnels += 1
    if (tunnels === 2) {
      sequence = 'life-2'
      begun()
    }
    if (tunnels === 4) socket.close(1012, 'stopping')
  }
  const use = { report: () => ({ sequence }), onBegin: (listener: () => void) => void (begun = listener) }
  const { said } = await stopWith(lateRequest, use)
  expect(said.map((goAway) => (goAway as GoAway).activity)).toEqual(['life-1', 'life-1', 'life-2', 'life-2'])
})

test('svcd tells its use when it stops', async () => {
  verifies('sleep.last-use')
  const relay = await playRelay((socket) => socket.close(1012, 'stopping'))
  const [orgId, key] = [helloOf(2).orgId, 'svc_dmn_key']
  const svcd = await startSvcd({
    env: { SVC_RELAY_URL: `http://127.0.0.1:${relay.port}/t/${orgId}`, SVC_RELAY_TOKEN: key },
  })
  await relay.greeted()
  expect(await svcd.stop()).toBe(0)
  const goAway = { reason: 'stopping', reconnectAfterMs: 0, activity: expect.stringMatching(/^[0-9a-f]{12}-\d+$/) }
  expect(relay.said).toEqual([goAway, goAway])
  await svcd.remove()
  relay.close()
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
  events.on('error', () => {}).resume() // the stop cuts the stream

  expect(await svcd.stop()).toBe(0)
  // This process may see the exit of the daemon before its last words.
  await until('both tunnels were left', () => relay.relay.leftCount() >= 2)
  expect(relay.relay.leftCount()).toBe(2)
  expect(
    svcd
      .output()
      .split('\n')
      .filter((line) => /"level":"(?:warn|error|fatal)"/.test(line)),
  ).toEqual([])
  await svcd.remove()
  await relay.close()
})
