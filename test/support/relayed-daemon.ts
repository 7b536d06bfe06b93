import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import {
  ASSERTION_HEADER,
  assertionTypes,
  type AgentScope,
  type Role,
  type ServiceClaims,
} from '@svc/shared/wire/assertions.ts'
import { idPrefixes } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { createWalks } from '../../daemon/src/search/walk/walk-process.ts'
import { createDaemonApp } from '../../daemon/src/start-app.ts'
import type { Disk } from '../../daemon/src/files/disk/disk.ts'
import { createLocalDisk } from '../../daemon/src/files/disk/local-disk.ts'
import { createVerifyAssertion } from '../../daemon/src/entry/verify-assertion.ts'
import { prepareHome } from '../../daemon/src/home/prepare-home.ts'
import { openDoor } from '../../daemon/src/status/open-door.ts'
import { markRelayed, type TunnelContext } from '../../daemon/src/entry/tunnel-context.ts'
import { call } from './svcd.ts'
import { removeFolder } from './remove-folder.ts'

type Call = Parameters<typeof call>[2]

/** A person who comes through the relay. */
export type RelayedPerson = {
  id: string
  role: Role
  /** The header that proves the sender of a request. */
  headers(): Promise<Record<string, string>>
  call(path: string, options?: Call): ReturnType<typeof call>
}

/** The person for whom an agent acts, and what the agent may do. Without vaults it may use all of them. */
export type AgentCaller = {
  sub: string
  name: string
  role: Role
  scopes?: AgentScope[]
  vaults?: string[]
}

const ISSUER = 'http://localhost:1'

/** The daemon in this process, reached by people through the relay and by a person at the machine. */
export async function startRelayedDaemon({
  disk = createLocalDisk({ clock: systemClock }),
  reservedBytes = 0,
  searchPath = process.env.PATH ?? '',
}: { disk?: Disk; reservedBytes?: number; searchPath?: string } = {}) {
  const vaults = ['demo-vault']
  const home = await mkdtemp(join(tmpdir(), 'svc-relayed-'))
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const context: TunnelContext = {
    issuer: ISSUER,
    orgId: newId(idPrefixes.organization),
    daemonId: newId(idPrefixes.daemon),
    connectionId: 'connection',
    keys: () => [
      {
        kid: 'k',
        kty: 'OKP',
        crv: 'Ed25519',
        x: String(publicKey.export({ format: 'jwk' }).x),
        uses: ['request', 'service'],
      },
    ],
    refreshKeys: async () => {},
  }
  const layout = prepareHome(home)
  const log = createLog({ service: 'test', level: 'fatal' })
  const onFailure = (error: unknown) => log.fatal({ err: error }, 'the routes could not be loaded')
  const daemon = await createDaemonApp({
    door: openDoor({ layout, allowedHosts: [], onFailure }),
    config: {
      allowedHosts: [],
      maxNoteBytes: 1_000_000,
      maxAttachmentBytes: 1_000_000,
      maxImportBytes: 64_000_000,
      reservedBytes,
      searchDeadlineMs: 60_000,
      maxVaults: 64,
      searchPath,
      watch: 'auto',
      version: '0.0.0-test',
    },
    layout,
    log,
    clock: systemClock,
    disks: { local: disk, any: disk },
    walks: createWalks(),
    verifyAssertion: createVerifyAssertion({ clock: systemClock }),
    program: { node: process.execPath, script: '' },
    restart: () => {},
    relayStatus: () => ({ configured: true, started: true, controlConnected: true, reconnectScheduled: false }),
  })
  const relay = createServer((socket) => {
    markRelayed(socket, context)
    daemon.server.emit('connection', socket)
  })
  const urlOf = async (server: { listen(port: number, host: string): unknown; address(): unknown }) => {
    server.listen(0, '127.0.0.1')
    await once(server as never, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const [local, relayed] = [{ url: await urlOf(daemon.server) }, { url: await urlOf(relay) }]

  const sign = (claims: object, typ: string = assertionTypes.request) =>
    new SignJWT({ org: context.orgId, ...claims })
      .setProtectedHeader({ alg: 'EdDSA', typ, kid: 'k' })
      .setIssuer(ISSUER)
      .setAudience(context.daemonId)
      .setIssuedAt()
      .setExpirationTime('30s')
      .sign(privateKey)

  async function asAgent(path: string, { scopes = ['read', 'write'], ...person }: AgentCaller, options: Call = {}) {
    const agent = { client: 'Claude', integration: 'https://claude.example', scopes }
    const headers = { [ASSERTION_HEADER]: await sign({ ...person, agent }) }
    return call(relayed, path, { ...options, headers })
  }

  return {
    home,
    registry: daemon.registry,
    urls: { local: local.url, relayed: relayed.url },
    local: (path: string, options?: Call) => call(local, path, options),
    /** As `local`, for a response that is not JSON. */
    async bytes(path: string) {
      const answer = await fetch(local.url + path)
      return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
    },
    person(role: Role): RelayedPerson {
      const id = newId(idPrefixes.user)
      const headers = async () => ({
        [ASSERTION_HEADER]: await sign({ sub: id, vaults, role, name: role, sid: id }),
      })
      return {
        id,
        role,
        headers,
        call: async (path, options = {}) =>
          call(relayed, path, { ...options, headers: { ...options.headers, ...(await headers()) } }),
      }
    },
    /** Requests a route as the control plane itself, for a person or for its system. */
    async service(path: string, claims: Pick<ServiceClaims, 'act' | 'scope'>, options: Call = {}) {
      const headers = { ...options.headers, [ASSERTION_HEADER]: await sign(claims, assertionTypes.service) }
      return call(relayed, path, { ...options, headers })
    },
    /** Calls a tool as an agent of the control plane. */
    agentCall: (body: object, caller: AgentCaller) => asAgent('/api/agent/call', caller, { json: body }),
    /** Requests another route as an agent. */
    agentRequest: (path: string, caller: AgentCaller, options?: Call) => asAgent(path, caller, options),
    async close() {
      relay.close()
      await daemon.close()
      await removeFolder(home)
    },
  }
}
