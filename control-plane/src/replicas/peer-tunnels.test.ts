import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { PEER_SUBPROTOCOL } from './peer-hop.ts'
import { createPeerSignature } from './peer-signature.ts'
import { createPeerTunnels } from './peer-tunnels.ts'
import { createMemoryDirectory, type Tenure } from './tunnel-directory.ts'

test('who asks after a change does not wait for what was asked before it', async () => {
  const far = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => PEER_SUBPROTOCOL })
  await once(far, 'listening')
  const entry = {
    connectionId: randomUUID(),
    replicaId: 'far',
    url: `http://127.0.0.1:${(far.address() as AddressInfo).port}`,
    daemonId: 'daemon',
    keyId: 1,
    version: '1',
    connectedAt: new Date().toISOString(),
    leaving: false,
  }
  const asked: PromiseWithResolvers<Tenure>[] = []
  const ask = () => {
    const answer = Promise.withResolvers<Tenure>()
    asked.push(answer)
    return answer.promise
  }
  let changed: (orgId: string) => void = () => {}
  const directory = {
    ...createMemoryDirectory(),
    find: ask,
    refresh: ask,
    onChange: (listener: (orgId: string) => void) => void (changed = listener),
  }
  const peers = createPeerTunnels({
    replicaId: 'near',
    directory,
    signature: createPeerSignature({ secret: new Secret('a secret'), clock: systemClock }),
    left: () => {},
    clock: systemClock,
    log: createLog({ service: 'test', level: 'silent' }),
  })
  try {
    const before = peers.find('org')
    void peers.find('org')
    expect(asked, 'those who ask at the same time ask once').toHaveLength(1)
    changed('org')
    const after = peers.find('org')
    expect(asked).toHaveLength(2)
    asked[1]!.resolve({ epoch: 1, entries: [entry] })
    expect(await after).toMatchObject({ daemonId: 'daemon' })
    asked[0]!.resolve({ epoch: 0, entries: [] })
    while (asked.length < 3) await new Promise(setImmediate)
    asked[2]!.resolve({ epoch: 1, entries: [entry] })
    expect(await before).toMatchObject({ daemonId: 'daemon' })
  } finally {
    peers.close()
    far.close()
  }
})
