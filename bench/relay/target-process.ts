// The daemon of the bench: one HTTP server that responds directly, behind proxies and, after `dial`, through the relay.
// It verifies relayed requests as svcd does.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createVerifyAssertion } from '../../daemon/src/entry/verify-assertion.ts'
import { dialRelay, type RelayConnection } from '../../daemon/src/relay/dial-relay.ts'
import { loadRelayIdentity } from '../../daemon/src/relay/relay-identity.ts'
import { relayedContext } from '../../daemon/src/entry/tunnel-context.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { answerParent } from '../part.ts'

const small = Buffer.alloc(1024, 'a')
const block = Buffer.alloc(64 * 1024, 'b')
const verify = createVerifyAssertion({ clock: systemClock })

const server = createServer({ keepAliveTimeout: 60_000 }, async (req, res) => {
  const context = relayedContext(req.socket)
  if (context !== undefined) await verify(String(req.headers['x-svc-assertion']), context)
  if (req.method === 'PUT') {
    for await (const _ of req);
    return void res.writeHead(200, { 'content-length': 2 }).end('ok')
  }
  const [, megabytes] = /bulk-(\d+)/.exec(req.url ?? '') ?? []
  if (megabytes === undefined) {
    res.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': small.length })
    return void res.end(small)
  }
  let left = (Number(megabytes) * 1024 * 1024) / block.length
  res.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': left * block.length })
  const more = () => {
    while (left > 0) {
      left -= 1
      if (!res.write(block)) return void res.once('drain', more)
    }
    res.end()
  }
  more()
})
server.requestTimeout = 0
server.listen(0, '127.0.0.1')
await once(server, 'listening')

const connections: RelayConnection[] = []
const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
/** Files of identities by key: a key belongs to the first home that shows it. */
const identities = new Map<string, string>()
const identityOf = (key: string): string => {
  const file = identities.get(key) ?? join(folder, `identity-${identities.size}.pem`)
  identities.set(key, file)
  return file
}

const answers = {
  port: () => (server.address() as AddressInfo).port,
  /** Dials a relay as one more daemon. */
  dial: async ({ url, key }: { url: string; key: string }) => {
    const connection = dialRelay({
      url,
      key: { kind: 'text', token: new Secret(key) },
      identity: await loadRelayIdentity(identityOf(key)),
      version: 'bench',
      serve: (stream) => void server.emit('connection', stream),
      clock: systemClock,
      log: createLog({ service: 'target', level: 'error' }),
    })
    connections.push(connection)
  },
  /** Ends the connections to all relays. */
  hangUp: async () => void (await Promise.all(connections.splice(0).map((connection) => connection.stop()))),
}
export type TargetAnswers = typeof answers
answerParent(answers, () => rm(folder, { recursive: true }))
