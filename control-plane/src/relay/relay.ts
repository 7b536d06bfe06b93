import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { frameTypes } from '@svc/shared/mux/frame.ts'
import type { GoAway } from '@svc/shared/wire/tunnel-hello.ts'
import { createTunnelKeys } from '../daemon-keys/tunnel-keys.ts'
import type { Db } from '../db/database.ts'
import { createEntrySessions } from '../entry/entry-sessions.ts'
import { createRevocationFeed, repeat } from '../entry/revocation-feed.ts'
import { createSigningKeys } from '../entry/signing-keys.ts'
import { createVerifyEntry } from '../entry/verify-entry.ts'
import { createAdmitTunnel } from './admit-tunnel.ts'
import { createDaemonClient } from './daemon-client.ts'
import { createEnterVault } from './enter-vault.ts'
import { createOrgLimits } from './org-limits.ts'
import { createPublicGateway } from './public-gateway.ts'
import { createRequestAssertions } from './request-assertions.ts'
import { retireTunnel } from './retire-tunnel.ts'
import { createTunnelGateway } from './tunnel-gateway.ts'
import { createTunnels } from './tunnels.ts'
import { createVaultOrigins } from './vault-origins.ts'
import { createWakeQueue, type HostedDaemons } from './wake-queue.ts'

const DRAIN_SPREAD_MS = 5_000
const KEYS_EVERY_MS = 60_000

export type RelayDeps = {
  db: Db
  clock: Clock
  log: Log
  /** Origin of the control plane; issuer of all assertions. */
  baseUrl: string
  vaultOriginTemplate: string
  /** Seals the signing keys in the database. */
  secret: Secret
  hosted: HostedDaemons
  /** Tunnels that a daemon should hold; more than one pays off with several replicas. */
  tunnelsPerDaemon?: number
}

type Door = {
  request: (request: IncomingMessage, response: ServerResponse) => void
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

/** The relay of one replica: tunnels of daemons on one side, vault origins for browsers on the other. */
export function createRelay({ db, clock, log, baseUrl, hosted, secret, ...deps }: RelayDeps) {
  let draining = false
  const replicaId = randomUUID()
  const signingKeys = createSigningKeys({ db, clock, secret, issuer: baseUrl })
  const feed = createRevocationFeed({ db, clock, log })
  const entries = createEntrySessions({ db, clock, log, onRevocation: feed.onRevocation })
  const origins = createVaultOrigins({
    db,
    clock,
    template: deps.vaultOriginTemplate,
    onRevocation: feed.onRevocation,
  })
  const tunnelKeys = createTunnelKeys({ db, clock })
  const tunnels = createTunnels()
  const wakeQueue = createWakeQueue({ tunnels, hosted, clock })

  const admitTunnel = createAdmitTunnel({
    tunnelKeys,
    tunnels,
    signingKeys,
    isHosted: async (orgId) => (await hosted.state(orgId)) !== 'not_hosted',
    identity: { issuer: baseUrl, replicaId, tunnels: deps.tunnelsPerDaemon ?? 1 },
    accepting: () => !draining,
    left: wakeQueue.left,
    clock,
    log,
  })
  const dialIn: Door = createTunnelGateway(admitTunnel)

  // The gateway gets the request signer alone: it cannot speak as the platform.
  const gateway = createPublicGateway({
    baseUrl,
    origins,
    entries,
    enterVault: createEnterVault({
      baseUrl,
      secure: origins.secure,
      entries,
      verifyEntry: createVerifyEntry({ signingKeys, clock, issuer: baseUrl }),
    }),
    assertionFor: createRequestAssertions({ sign: signingKeys.signer('request'), clock }),
    wakeQueue,
    limits: createOrgLimits(),
    log,
  })

  /** Closes the tunnels of keys that are no longer valid: at once when revoked, gently when only replaced. */
  const reviewKeys = async (held = tunnels.all()): Promise<void> => {
    const states = await tunnelKeys.states([...new Set(held.map(({ keyId }) => keyId))])
    for (const one of held) {
      const state = states.get(one.keyId)
      const replacedByOther = tunnels.list(one.orgId).some(({ instanceKey }) => instanceKey !== one.instanceKey)
      if (state === 'revoked' || (state === 'expired' && replacedByOther)) {
        one.tunnel.leave({ reason: 'key_revoked', reconnectAfterMs: 0 } satisfies GoAway)
        one.tunnel.close(4401, 'key_revoked')
      } else if (state === 'expired') retireTunnel(one, { reason: 'replaced', reconnectAfterMs: 0 })
    }
  }
  feed.onRevocation(({ kind, subject }) => {
    if (kind !== 'daemon_keys' && kind !== 'organization') return
    reviewKeys(tunnels.list(subject)).catch((error: unknown) => log.error({ err: error }, 'keys were not reviewed'))
  })

  let publishedText = ''
  const publishKeys = async (): Promise<void> => {
    const keys = await signingKeys.published()
    const text = JSON.stringify(keys)
    const changed = publishedText !== '' && publishedText !== text
    publishedText = text
    if (changed) for (const { tunnel } of tunnels.all()) tunnel.tell(frameTypes.keys, { keys })
  }
  const upkeep = repeat({
    everyMs: KEYS_EVERY_MS,
    task: async () => {
      await reviewKeys()
      await publishKeys()
    },
    clock,
    log,
    name: 'relay upkeep',
  })

  return {
    replicaId,
    dialIn,
    gateway: { ...gateway },
    origins,
    entries,
    signingKeys,
    revocations: feed,
    publishKeys,

    /** The platform's own calls to the daemon of an organization. They never wake it. */
    daemonClient: createDaemonClient({
      sign: signingKeys.signer('service'),
      findTunnel: (orgId) => wakeQueue.connected(orgId),
    }),

    /** What is known of an organization's connection. */
    status: async (orgId: string) => {
      const held = tunnels.list(orgId)
      const daemon = await tunnelKeys.findDaemon(orgId)
      const first = held.map(({ connectedAt }) => connectedAt).sort((a, b) => a.getTime() - b.getTime())[0]
      return {
        connected: held.length > 0,
        tunnels: held.length,
        version: held[0]?.version ?? daemon?.version ?? undefined,
        connectedSince: first?.toISOString(),
        lastSeenAt: (held.length > 0 ? clock.now() : daemon?.last_seen_at)?.toISOString() ?? null,
        instanceConflict: daemon?.instance_conflict_at != null,
      }
    },

    /** True when a tunnel of the organization was opened with that generation of its key. */
    connectedGeneration: (orgId: string) => tunnelKeys.findConnectedGeneration(tunnels.list(orgId).map((t) => t.keyId)),

    /** Closes every tunnel of an organization on this replica at once. */
    closeTunnels: (orgId: string, reason: GoAway['reason']): void => {
      for (const { tunnel } of tunnels.list(orgId)) {
        tunnel.leave({ reason, reconnectAfterMs: 0 } satisfies GoAway)
        tunnel.close(4403, reason)
      }
    },

    start: (): void => {
      feed.start()
      entries.start()
      upkeep.start()
    },

    /** Sends every daemon elsewhere, each in its own slot, and lets open requests finish. */
    drain: async (patienceMs = 25_000): Promise<void> => {
      draining = true
      const all = tunnels.all()
      all.forEach((held, index) => {
        const slot = Math.round((index / Math.max(1, all.length)) * DRAIN_SPREAD_MS)
        retireTunnel(held, { reason: 'draining', reconnectAfterMs: slot }, patienceMs)
      })
      const until = clock.monotonic() + patienceMs
      while (tunnels.all().length > 0 && clock.monotonic() < until) await clock.sleep(100)
    },

    close: async (): Promise<void> => {
      draining = true
      await Promise.all([feed.close(), entries.close(), upkeep.close()])
      for (const { tunnel } of tunnels.all()) tunnel.close(1001, 'closing')
    },
  }
}

export type Relay = ReturnType<typeof createRelay>
