import { randomUUID } from 'node:crypto'
import { createServer, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { issueDaemonKey } from '../../control-plane/src/daemon-keys/rotate-daemon-key.ts'
import { openDatabase, type Db } from '../../control-plane/src/db/database.ts'
import { mintEntryAssertion } from '../../control-plane/src/entry/mint-assertion.ts'
import { QUIET_MS } from '../../control-plane/src/gateway/public-gateway.ts'
import { listen } from '../../control-plane/src/http/listen.ts'
import { createRelay, type Relay, type RelayDeps } from './relay-composition.ts'
import { until as untilNamed } from './until.ts'
import { createVerifyAssertion } from '../../daemon/src/entry/verify-assertion.ts'
import { dialRelay, type RelayConnection, type RelayOptions } from '../../daemon/src/relay/dial-relay.ts'
import { loadRelayIdentity } from '../../daemon/src/relay/relay-identity.ts'
import { removeFolder } from './remove-folder.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog, type Log } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { idPrefixes } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'

export type Person = { id: string; name: string; sessionId: string; role: 'admin' | 'member' }
export type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer; text: string }
type Ask = {
  method?: string
  host: string
  path?: string
  headers?: Record<string, string | string[]>
  body?: Buffer | string
}

/** One replica of the relay on a real port, over a database of its own. */
export type RelayHarness = {
  relay: Relay
  db: Db
  port: number
  baseUrl: string
  /** Port of the listener for other replicas. */
  internalPort: number
  log: Log
  logged(): string
  ask(request: Ask): Promise<Answer>
  makeOrganization(): Promise<{ orgId: string; apiKey: string; daemonId: string; host: string; origin: string }>
  makePerson(orgId: string, role?: 'admin' | 'member'): Promise<Person>
  /** Enters a vault as a browser does and returns the cookie. */
  enter(options: { orgId: string; person: Person; vault: string }): Promise<string>
  close(): Promise<void>
}

type ReplicaOptions = Partial<RelayDeps> & {
  level?: string
  /** If set, the replica shares its tunnels with other replicas through this Redis. */
  redisUrl?: string
}

const ANY_PORT = { host: '127.0.0.1', port: 0 }

/** Starts one replica over a migrated database. `hosted` may replace the managed daemons. */
export async function startReplica(
  databaseUrl: Secret,
  { level = 'debug', redisUrl, ...given }: ReplicaOptions = {},
): Promise<RelayHarness> {
  const lines: string[] = []
  const log = createLog({ service: 'relay', level, destination: { write: (line) => void lines.push(line) } })
  const { db, close } = openDatabase({ url: databaseUrl, log })
  const door = (req: IncomingMessage) => (relay.gateway.ownsHost(req.headers.host ?? '') ? relay.gateway : relay.dialIn)
  const server = await listen(
    {
      request: (req, res) => door(req).request(req, res),
      upgrade: (req, socket, head) => door(req).upgrade(req, socket, head),
      quietMs: QUIET_MS,
    },
    ANY_PORT,
  )
  const { port } = server.address() as AddressInfo
  const baseUrl = given.baseUrl ?? `http://localhost:${port}`
  const internal = await listen(
    { request: (_req, res) => res.end(), upgrade: (...upgrade) => relay.peerUpgrade(...upgrade) },
    ANY_PORT,
  )
  const internalPort = (internal.address() as AddressInfo).port
  const redis = redisUrl === undefined ? undefined : new Redis(redisUrl, { maxRetriesPerRequest: 1 })
  redis?.on('error', () => {})
  const relay: Relay = createRelay({
    db,
    clock: systemClock,
    log,
    baseUrl,
    vaultOriginTemplate: `http://{label}.localhost:${port}`,
    secret: new Secret('a secret of at least thirty-two characters'),
    hosted: { state: async () => 'not_hosted', wakeIfAsleep: async () => 'not_hosted' },
    shared: redis && { redis, url: `http://127.0.0.1:${internalPort}` },
    ...given,
  })
  relay.start()

  const ask = (options: Ask) => askAt(port, options)
  return {
    relay,
    db,
    port,
    baseUrl,
    internalPort,
    log,
    logged: () => lines.join(''),
    ask,
    makeOrganization: async () => {
      const orgId = newId(idPrefixes.organization)
      await db
        .insertInto('organization')
        .values({
          id: orgId,
          name: 'Test',
          slug: orgId.slice(4, 20).toLowerCase(),
          logo: null,
          createdAt: new Date(),
          metadata: null,
          daemon_mode: 'self_hosted',
        })
        .execute()
      const key = await db.transaction().execute((trx) => issueDaemonKey(trx, { orgId, clock: systemClock }))
      const origin = await relay.origins.originOf(orgId)
      return { orgId, ...key, origin, host: new URL(origin).host }
    },
    makePerson: async (orgId, role = 'member') => {
      const person = { id: newId(idPrefixes.user), name: `Person ${randomUUID()}`, sessionId: randomUUID(), role }
      const now = new Date()
      const later = new Date(now.getTime() + 3_600_000)
      await db
        .insertInto('user')
        .values({
          id: person.id,
          name: person.name,
          email: `${person.id}@example.test`,
          emailVerified: true,
          image: null,
          createdAt: now,
          updatedAt: now,
        })
        .execute()
      await db
        .insertInto('session')
        .values({
          id: person.sessionId,
          token: randomUUID(),
          userId: person.id,
          expiresAt: later,
          createdAt: now,
          updatedAt: now,
          ipAddress: null,
          userAgent: null,
          activeOrganizationId: null,
        })
        .execute()
      await db
        .insertInto('member')
        .values({ id: randomUUID(), organizationId: orgId, userId: person.id, role, createdAt: now })
        .execute()
      return person
    },
    enter: async ({ orgId, person, vault }) => {
      const origin = await relay.origins.originOf(orgId)
      const daemon = await db.selectFrom('daemons').selectAll().where('org_id', '=', orgId).executeTakeFirstOrThrow()
      const { text } = await mintEntryAssertion(relay.signingKeys.signer('entry'), {
        vaultOrigin: origin,
        user: person,
        sessionId: person.sessionId,
        orgId,
        daemonId: daemon.id,
        vault,
        role: person.role,
      })
      const answer = await ask({
        method: 'POST',
        host: new URL(origin).host,
        path: '/_svc/enter',
        headers: { origin: baseUrl, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ assertion: text }).toString(),
      })
      if (answer.status !== 303) throw new Error(`entry failed: ${answer.status} ${answer.text}`)
      return String(answer.headers['set-cookie']?.[0]).split(';')[0]!
    },
    close: async () => {
      await relay.close()
      redis?.disconnect()
      for (const one of [server, internal]) {
        one.closeAllConnections()
        one.close()
      }
      await close()
    },
  }
}

/** A daemon of the test's own making behind the real dialler: the test decides what it serves. */
export async function startDaemon(
  harness: Pick<RelayHarness, 'port' | 'log'>,
  { orgId, apiKey }: { orgId: string; apiKey: string },
  listener: RequestListener,
  options: Partial<RelayOptions> = {},
): Promise<{ connection: RelayConnection; server: Server; close(): Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), 'svc-daemon-'))
  const server = createServer({ keepAliveTimeout: 60_000 }, listener)
  server.requestTimeout = 0
  const connection = dialRelay({
    url: `http://127.0.0.1:${harness.port}/t/${orgId}`,
    key: { kind: 'text', token: new Secret(apiKey) },
    identity: await loadRelayIdentity(join(home, 'relay-identity.pem')),
    version: '0.0.0-test',
    serve: (stream) => void server.emit('connection', stream),
    clock: systemClock,
    log: harness.log,
    ...options,
  })
  return {
    connection,
    server,
    close: async () => {
      await connection.stop()
      server.closeAllConnections()
      await removeFolder(home)
    },
  }
}

/** Waits until a condition holds; for conditions that need no name. */
export const until = (condition: () => boolean | Promise<boolean>): Promise<void> =>
  untilNamed('the condition holds', condition)

/** The verifier that daemons use. */
export const verifyAssertion = createVerifyAssertion({ clock: systemClock })

/** One request on a connection of its own, to a port, with any Host. */
export function askAt(port: number, { method = 'GET', host, path = '/', headers = {}, body }: Ask): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const req = httpRequest(
      { host: '127.0.0.1', port, method, path, headers: { host, ...headers }, agent: false, setHost: false },
      (res) => {
        buffer(res).then(
          (bytes) =>
            resolve({ status: res.statusCode ?? 0, headers: res.headers, body: bytes, text: bytes.toString('utf8') }),
          reject,
        )
      },
    )
    req.on('error', reject)
    req.end(body)
  })
}
