// Many daemons in one process: the real dialler, with an identity for each daemon, and no server behind it.
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dialRelay } from '../../daemon/src/relay/dial-relay.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'

const [file = '', port = ''] = process.argv.slice(2)
const log = createLog({ service: 'herd', level: 'silent' })

function identity() {
  const { privateKey } = generateKeyPairSync('ed25519')
  const instanceId = String(createPublicKey(privateKey).export({ format: 'jwk' }).x)
  return { instanceId, prove: (text: string) => sign(null, Buffer.from(text), privateKey).toString('base64url') }
}

const connections = (JSON.parse(await readFile(file, 'utf8')) as { orgId: string; apiKey: string }[]).map(
  ({ orgId, apiKey }) =>
    dialRelay({
      url: `http://127.0.0.1:${port}/t/${orgId}`,
      key: { kind: 'text', token: new Secret(apiKey) },
      identity: identity(),
      version: '0.0.0-bench',
      serve: (stream) => stream.destroy(),
      clock: systemClock,
      log,
    }),
)

process.on('message', () =>
  process.send?.(connections.filter((connection) => connection.status().controlConnected).length),
)
process.on('disconnect', () => process.exit(0))
process.send?.('started')
