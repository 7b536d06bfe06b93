import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { GoAway } from '@svc/shared/wire/tunnel-hello.ts'
import { createTunnelKeys } from '../daemon-keys/tunnel-keys.ts'
import type { Db } from '../db/database.ts'
import { createAgentAssertions } from '../entry/kept-assertions.ts'
import type { Entry } from '../entry/entry.domain.ts'
import type { Counters } from '../http/rate-limit.ts'
import type { QueuedBytes } from '../limits/queued-bytes.ts'
import { createConnectionStatus } from '../replicas/connection-status.ts'
import { createReplicas, type SharedByReplicas } from '../replicas/replicas.domain.ts'
import { createAcceptBudget } from './accept-budget.ts'
import { createAdmitTunnel, MAX_TUNNELS } from './admit-tunnel.ts'
import { createAgentClient } from './agent-client.ts'
import { createDaemonClient } from './daemon-client.ts'
import { createExchange } from './daemon-exchange.ts'
import { createExchangeBudget } from './exchange-budget.ts'
import { createKeyUpkeep } from './key-upkeep.ts'
import { createPublishedKeys } from './published-keys.ts'
import { createRecentDepartures } from './recent-departures.ts'
import { createReviewKeys } from './review-keys.ts'
import { createSourceBudget } from './source-budget.ts'
import { createTunnelGateway } from './tunnel-gateway.ts'
import { createTunnels, type OpenTunnel } from './tunnels.ts'

const ACCEPTS_PER_SECOND = 100

export type TunnelsDeps = {
  db: Db
  clock: Clock
  log: Log
  /** Origin of the control plane; issuer of all assertions. */
  baseUrl: string
  secret: Secret
  /** The previous secret, while secrets are being changed. */
  previousSecret?: Secret | undefined
  entry: Entry
  queued: QueuedBytes
  /** Called when the daemon of an organization may have connected or disconnected. */
  onPresence?: ((orgId: string) => void) | undefined
  /** Called when a daemon has stopped in order, with its use until then. */
  onStopped?: ((orgId: string, activity: string) => void) | undefined
  /** True for an organization with a hosted daemon. */
  isHosted(orgId: string): Promise<boolean>
  /** Tunnels that a daemon should hold; more than one helps when there are several replicas. */
  tunnelsPerDaemon?: number | undefined
  /** Tunnels that the daemon of an organization may hold; absent: `MAX_TUNNELS`. */
  maxTunnelsOf?: ((orgId: string) => number) | undefined
  /** Absent: this replica is the only one. */
  shared?: SharedByReplicas | undefined
  /** False for a process that does not accept tunnels, such as a worker. */
  takesTunnels?: boolean | undefined
  /** Where replicas share counters. */
  counters?: Counters | undefined
  /** Proxies whose `X-Forwarded-For` is trusted when daemons dial in. */
  trustedProxies?: readonly string[] | undefined
  /** Tunnels that this replica accepts per second. */
  acceptsPerSecond?: number | undefined
}

export type DaemonTunnels = ReturnType<typeof createDaemonTunnels>

/** The daemons' side of the relay: the dial-in, the tunnels of all replicas, and the platform's calls over them. */
export function createDaemonTunnels({
  db,
  clock,
  log,
  baseUrl,
  entry,
  queued,
  shared,
  isHosted,
  ...deps
}: TunnelsDeps) {
  let draining = false
  let leftCount = 0
  const { signingKeys, revocations } = entry
  const maxTunnelsOf = (orgId: string) => Math.min(deps.maxTunnelsOf?.(orgId) ?? MAX_TUNNELS, MAX_TUNNELS)
  const acceptsPerSecond = deps.acceptsPerSecond ?? ACCEPTS_PER_SECOND
  const tunnelKeys = createTunnelKeys({ db, clock, log })
  const tunnels = createTunnels(deps.onPresence)
  const departures = createRecentDepartures(clock)
  const replicas = createReplicas({
    tunnels,
    shared,
    takesTunnels: deps.takesTunnels ?? true,
    secret: deps.secret,
    previousSecret: deps.previousSecret,
    queued,
    maxTunnelsOf,
    acceptsPerSecond,
    onLeft: departures.note,
    staying: () => !draining,
    clock,
    log,
  })
  const { replicaId, directory, publishing } = replicas
  const reviewKeys = createReviewKeys({ tunnelKeys, tunnels })
  const { onRevocation } = revocations
  const publishedKeys = createPublishedKeys({ signingKeys, onRevocation, tunnels, clock, log })
  const upkeep = createKeyUpkeep({
    reviewKeys,
    publishedKeys,
    onRevocation,
    tunnels,
    clock,
    log,
  })
  const admitTunnel = createAdmitTunnel({
    tunnelKeys,
    tunnels,
    publishedKeys,
    isHosted,
    identity: { issuer: baseUrl, replicaId, tunnels: deps.tunnelsPerDaemon ?? (shared === undefined ? 1 : 2) },
    maxTunnelsOf,
    replicas: directory.replicaCount,
    accepting: () => !draining,
    budget: createAcceptBudget({ perSecond: acceptsPerSecond, clock }),
    lookups: createSourceBudget({ perSecond: acceptsPerSecond, clock }),
    counters: deps.counters,
    publishing,
    reviewKeys,
    revocationCount: upkeep.revocationCount,
    left: departures.note,
    daemonLeft: () => void (leftCount += 1),
    stopped: (orgId, activity) => deps.onStopped?.(orgId, activity),
    clock,
    log,
  })

  /** The tunnel of a connected daemon, here or over one hop. Fails with `daemon_offline`; wakes nobody. */
  const findConnected = async (orgId: string): Promise<OpenTunnel> => {
    const found = tunnels.find(orgId) ?? (await replicas.findElsewhere(orgId))
    if (found === undefined) throw fail('daemon_offline', undefined, { retryAfterSeconds: 5 })
    return found
  }
  const exchange = createExchange(createExchangeBudget())

  return {
    replicaId,
    held: tunnels,
    departures,
    findElsewhere: replicas.findElsewhere,
    replicaCount: directory.replicaCount,
    dialIn: createTunnelGateway(admitTunnel, deps.trustedProxies),
    peerUpgrade: replicas.peerUpgrade,

    /** Tunnels that this replica holds. */
    count: (): number => tunnels.all().length,

    /** Tunnels of this replica that daemons left because they stopped, so far. */
    leftCount: (): number => leftCount,

    /** Calls to the daemon of an organization, on behalf of agents and of the platform itself. They never wake it. */
    agentClient: createAgentClient({
      assertionOf: createAgentAssertions({ sign: signingKeys.signer('request'), onRevocation, clock }),
      findTunnel: findConnected,
      exchange,
    }),
    daemonClient: createDaemonClient({ sign: signingKeys.signer('service'), findTunnel: findConnected, exchange }),

    ...createConnectionStatus({ tunnels, directory, replicaId, tunnelKeys, clock }),

    /** Closes every tunnel of an organization on this replica at once. */
    closeTunnels: (orgId: string, reason: GoAway['reason']): void => {
      for (const { tunnel } of tunnels.list(orgId)) {
        tunnel.leave({ reason, reconnectAfterMs: 0 } satisfies GoAway)
        tunnel.close(4403, reason)
      }
    },

    start: (): void => {
      upkeep.start()
      tunnelKeys.start()
      replicas.start()
    },

    /** Moves every daemon elsewhere and lets open requests finish. */
    drain: (patienceMs = 25_000): Promise<void> => {
      draining = true
      return replicas.drain(patienceMs)
    },

    close: async (): Promise<void> => {
      draining = true
      await Promise.all([upkeep.close(), replicas.stop()])
      for (const { tunnel } of tunnels.all()) tunnel.close(1001, 'closing')
      await replicas.close()
      await tunnelKeys.close()
    },
  }
}
