// Longer than other files on purpose: the one place where every part of the relay meets every other.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { BodyPace } from '@svc/shared/kit/body-pace.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import type { GoAway } from '@svc/shared/wire/tunnel-hello.ts'
import type { Redis } from 'ioredis'
import { createTunnelKeys } from '../daemon-keys/tunnel-keys.ts'
import type { Db } from '../db/database.ts'
import { createEntrySessions } from '../entry/entry-sessions.ts'
import { createRevocationFeed } from '../entry/revocation-feed.ts'
import { createSigningKeys } from '../entry/signing-keys.ts'
import { createVerifyEntry } from '../entry/verify-entry.ts'
import type { Counters } from '../http/rate-limit.ts'
import { createAcceptBudget } from '../tunnels/accept-budget.ts'
import { createAdmitTunnel, MAX_TUNNELS } from '../tunnels/admit-tunnel.ts'
import { createConnectionStatus } from '../replicas/connection-status.ts'
import { createDaemonClient } from '../tunnels/daemon-client.ts'
import { createDrainTunnels } from '../replicas/drain-tunnels.ts'
import { createEnterTunnels } from '../replicas/publish-tunnels.ts'
import { createEnterVault } from '../gateway/enter-vault.ts'
import { createKeyUpkeep } from '../tunnels/key-upkeep.ts'
import { personSettings } from '../limits/fair-share.ts'
import { createOrgLimits, defaultOrgLimits, LEASE_MS } from '../limits/org-limits.ts'
import { divideLimit } from '../limits/org-permits.ts'
import type { OrgLimitSettings } from '../limits/org-use.ts'
import { createPeerGateway } from '../replicas/peer-gateway.ts'
import { peerSignature } from '../replicas/peer-signature.ts'
import { createPeerTunnels } from '../replicas/peer-tunnels.ts'
import { createPublicGateway } from '../gateway/public-gateway.ts'
import { createRebalanceTunnels } from '../replicas/rebalance-tunnels.ts'
import { createQueuedBytes } from '../limits/queued-bytes.ts'
import { redisDirectory } from '../replicas/redis-directory.ts'
import { createReviewKeys } from '../tunnels/review-keys.ts'
import { createRequestAssertions } from '../gateway/request-assertions.ts'
import { createSourceBudget } from '../tunnels/source-budget.ts'
import { memoryDirectory } from '../replicas/tunnel-directory.ts'
import { createTunnelGateway } from '../tunnels/tunnel-gateway.ts'
import { createTunnels } from '../tunnels/tunnels.ts'
import { redisUseLedger } from '../limits/use-ledger.ts'
import { createVaultOrigins } from '../entry/vault-origins.ts'
import { createWakeQueue, type HostedDaemons } from '../gateway/wake-queue.ts'

const ACCEPTS_PER_SECOND = 100

export type RelayDeps = {
  db: Db
  clock: Clock
  log: Log
  /** Origin of the control plane; issuer of all assertions. */
  baseUrl: string
  vaultOriginTemplate: string
  /** Seals the signing keys in the database. */
  secret: Secret
  /** The one before it, while it changes. */
  previousSecret?: Secret | undefined
  hosted: HostedDaemons
  /** What one organization may take of all replicas together. */
  limits?: OrgLimitSettings | undefined
  /** How long a replica that is not heard of keeps what it may have open. */
  limitLeaseMs?: number | undefined
  /** Tunnels that a daemon should hold; more than one pays off with several replicas. */
  tunnelsPerDaemon?: number | undefined
  /** What replicas share, and where others reach the internal listener of this one. Absent: it is the only one. */
  shared?: { redis: Redis; url: string } | undefined
  /** False for a process that daemons do not dial, such as a worker. */
  takesTunnels?: boolean | undefined
  /** Where replicas count together. */
  counters?: Counters | undefined
  /** How slowly a body may come that the gateway reads itself. */
  bodyPace?: BodyPace | undefined
  /** Proxies whose `X-Forwarded-For` is believed when daemons dial in. */
  trustedProxies?: readonly string[] | undefined
  /** Tunnels that this replica accepts per second. */
  acceptsPerSecond?: number | undefined
}

type Door = {
  request: (request: IncomingMessage, response: ServerResponse) => void
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

/** The relay of one replica: tunnels of daemons on one side, vault origins for browsers on the other. */
export function createRelay({ db, clock, log, baseUrl, hosted, secret, ...deps }: RelayDeps) {
  let draining = false
  const replicaId = randomUUID()
  const previous = deps.previousSecret
  const signingKeys = createSigningKeys({ db, clock, secret, previous, issuer: baseUrl })
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
  const acceptsPerSecond = deps.acceptsPerSecond ?? ACCEPTS_PER_SECOND
  const directory =
    deps.shared === undefined
      ? memoryDirectory()
      : redisDirectory({
          ...deps.shared,
          replicaId,
          tunnelCount: deps.takesTunnels === false ? undefined : () => tunnels.all().length,
          clock,
          log,
        })
  directory.onChange(tunnels.changed)
  const entering = createEnterTunnels({ tunnels, directory, maxTunnels: MAX_TUNNELS, clock, log })
  const signature = peerSignature({ secret, previous, clock })
  const peers = createPeerTunnels({
    replicaId,
    directory,
    signature,
    left: (orgId) => wakeQueue.left(orgId),
    clock,
    log,
  })
  const wakeQueue = createWakeQueue({ tunnels, elsewhere: peers.find, hosted, clock })

  const reviewKeys = createReviewKeys({ tunnelKeys, tunnels })
  const admitTunnel = createAdmitTunnel({
    tunnelKeys,
    tunnels,
    signingKeys,
    isHosted: async (orgId) => (await hosted.state(orgId)) !== 'not_hosted',
    identity: { issuer: baseUrl, replicaId, tunnels: deps.tunnelsPerDaemon ?? (deps.shared === undefined ? 1 : 2) },
    replicas: directory.replicaCount,
    accepting: () => !draining,
    budget: createAcceptBudget({ perSecond: acceptsPerSecond, clock }),
    lookups: createSourceBudget({ perSecond: acceptsPerSecond, clock }),
    counters: deps.counters,
    entering,
    reviewKeys,
    left: wakeQueue.left,
    clock,
    log,
  })
  const rebalancing = createRebalanceTunnels({
    replicaId,
    tunnels,
    directory,
    renew: entering.renew,
    acceptsPerSecond,
    staying: () => !draining,
    clock,
    log,
  })
  const drainTunnels = createDrainTunnels({ tunnels, directory, acceptsPerSecond, clock })
  const dialIn: Door = createTunnelGateway(admitTunnel, deps.trustedProxies)

  const settings = deps.limits ?? defaultOrgLimits
  const leaseMs = deps.limitLeaseMs ?? LEASE_MS
  const queued = createQueuedBytes({ personBytes: personSettings(settings).queuedBytes, clock, log })
  const limits = createOrgLimits({
    settings,
    leaseMs,
    queued,
    replicas: directory.replicaCount,
    ledger:
      deps.shared &&
      redisUseLedger({
        ...deps.shared,
        replicaId,
        bytesPerSecond: settings.bytesPerSecond,
        pool: divideLimit(settings.concurrent, 'shared').pool,
        leaseMs,
      }),
    clock,
    log,
  })

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
    limits,
    queued,
    log,
    bodyPace: deps.bodyPace,
  })

  const upkeep = createKeyUpkeep({ reviewKeys, signingKeys, onRevocation: feed.onRevocation, tunnels, clock, log })

  return {
    replicaId,
    dialIn,
    gateway,
    origins,
    entries,
    signingKeys,
    revocations: feed,
    publishKeys: upkeep.publishKeys,

    /** A tunnel of the organization on this replica, if it holds one that takes streams. */
    findTunnel: (orgId: string) => tunnels.find(orgId),

    /** Tunnels that this replica holds. */
    tunnelCount: (): number => tunnels.all().length,

    /** The upgrades of other replicas, for the internal listener. */
    peerUpgrade: createPeerGateway({ replicaId, tunnels, signature, queued, clock, log }),

    /** The platform's own calls to the daemon of an organization. They never wake it. */
    daemonClient: createDaemonClient({
      sign: signingKeys.signer('service'),
      findTunnel: (orgId) => wakeQueue.connected(orgId),
    }),

    ...createConnectionStatus({ tunnels, directory, replicaId, tunnelKeys, clock }),

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
      entering.start()
      rebalancing.start()
      limits.start()
      queued.start()
      void directory.start()
    },

    /** Sends every daemon elsewhere and lets open requests finish. */
    drain: (patienceMs = 25_000): Promise<void> => {
      draining = true
      return drainTunnels(patienceMs)
    },

    close: async (): Promise<void> => {
      draining = true
      await Promise.all([feed, entries, upkeep, entering, rebalancing, limits, queued].map((part) => part.close()))
      peers.close()
      for (const { tunnel } of tunnels.all()) tunnel.close(1001, 'closing')
      await directory.close()
    },
  }
}

export type Relay = ReturnType<typeof createRelay>
