import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { idPrefixes } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { RelayHello } from '@svc/shared/wire/tunnel-hello.ts'
import { dialRelay } from '../../daemon/src/relay/dial-relay.ts'
import type { Use } from '../../daemon/src/relay/serve-tunnel.ts'
import { loadRelayIdentity } from '../../daemon/src/relay/relay-identity.ts'
import { removeFolder } from './remove-folder.ts'

const orgId = newId(idPrefixes.organization)

/** The hello of a relay played by a test, for a daemon that should open this many tunnels. */
export const helloOf = (tunnels: number): RelayHello => ({
  protocol: 1,
  challenge: 'c'.repeat(43),
  issuer: 'http://localhost:1',
  orgId,
  daemonId: newId(idPrefixes.daemon),
  replicaId: 'replica',
  connectionId: 'connection',
  tunnels,
  replicas: 1,
  maxFrameBytes: 65_536,
  maxStreams: 16,
  initialWindow: 65_536,
  heartbeatSeconds: 15,
  keys: [],
})

/** A daemon's dialler, connected to a relay played by a test. `warnings` are its log lines. */
export async function dialPlayedRelay(port: number) {
  const home = await mkdtemp(join(tmpdir(), 'svc-played-relay-'))
  const warnings: string[] = []
  const connection = dialRelay({
    url: `http://127.0.0.1:${port}/t/${orgId}`,
    key: { kind: 'text', token: new Secret('svc_dmn_key') },
    identity: await loadRelayIdentity(join(home, 'relay-identity.pem')),
    version: '0.0.0-test',
    serve: () => {},
    clock: systemClock,
    log: createLog({ service: 'test', level: 'warn', destination: { write: (line) => void warnings.push(line) } }),
  })
  return {
    ...connection,
    warnings,
    stop: async (use?: Use) => {
      await connection.stop(use)
      await removeFolder(home)
    },
  }
}
