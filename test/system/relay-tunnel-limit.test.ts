import { mkdtemp } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAX_TUNNELS } from '../../control-plane/src/tunnels/admit-tunnel.ts'
import { MAX_ENTRIES } from '../../control-plane/src/replicas/tunnel-directory.ts'
import { loadRelayIdentity, type RelayIdentity } from '../../daemon/src/relay/relay-identity.ts'
import { verifies } from '../requirements.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { startDaemon, startReplica, type RelayHarness } from '../support/relay-replica.ts'
import { until } from '../support/until.ts'
import { removeFolder } from '../support/remove-folder.ts'

// One daemon that exceeds its share: several diallers with the same home, each with two tunnels to one of the replicas.
let database: TestDatabase
let redis: TestRedis
let replicas: RelayHarness[]
let home: string
let identity: RelayIdentity
const daemons: Awaited<ReturnType<typeof startDaemon>>[] = []

beforeAll(async () => {
  redis = await startRedis()
  database = await createTestDatabase()
  replicas = [await startReplica(database.url, { redisUrl: redis.url })]
  const { baseUrl, port } = replicas[0]!
  const shared = { redisUrl: redis.url, baseUrl, vaultOriginTemplate: `http://{label}.localhost:${port}` }
  for (let i = 1; i < 3; i += 1) replicas.push(await startReplica(database.url, shared))
  home = await mkdtemp(join(tmpdir(), 'svc-tunnel-limit-'))
  identity = await loadRelayIdentity(join(home, 'relay-identity.pem'))
})
afterAll(async () => {
  for (const daemon of daemons) await daemon.close()
  for (const replica of replicas) await replica.close()
  await database?.drop()
  await redis?.stop()
  await removeFolder(home)
})

const answer: RequestListener = (_request, response) => void response.end('ok')
const count = () => replicas.reduce((sum, { relay }) => sum + relay.tunnelCount(), 0)

/** Starts the given number of diallers of one home at each replica. Each dialler wants two tunnels. */
async function dialEverywhere(org: Awaited<ReturnType<RelayHarness['makeOrganization']>>, dialers: number) {
  const dialing = replicas.flatMap((replica) =>
    Array.from({ length: dialers }, () => startDaemon(replica, org, answer, { identity })),
  )
  daemons.push(...(await Promise.all(dialing)))
}

/** The delays before the next dial that the relay has told, as the diallers have logged them. */
const told = () =>
  replicas
    .flatMap(({ logged }) => logged().trim().split('\n'))
    .map((line) => JSON.parse(line) as { msg: string; reconnectAfterMs: number })
    .filter(({ msg }) => msg === 'the relay sent a go-away')
    .map(({ reconnectAfterMs }) => reconnectAfterMs)

test('a daemon keeps four tunnels at most, on all replicas together', async () => {
  verifies('relay.tunnel-limit')
  const org = await replicas[0]!.makeOrganization()
  let most = 0
  const watch = setInterval(() => (most = Math.max(most, count())), 5)
  await dialEverywhere(org, 4) // four diallers at each of three replicas want 24 tunnels
  await until('four are left', () => most > MAX_TUNNELS && count() === MAX_TUNNELS)
  await until('the directory knows no others', async () => {
    const { tunnels } = await replicas[0]!.relay.status(org.orgId)
    return tunnels === MAX_TUNNELS
  })
  clearInterval(watch)
  expect(most).toBeLessThanOrEqual(MAX_ENTRIES)
  // So the others do not replace the four again and again.
  expect(told().length).toBeGreaterThan(MAX_TUNNELS)
  expect(Math.min(...told())).toBe(30_000)
})
