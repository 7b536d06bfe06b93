import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import type { QueuedBytes } from '../limits/queued-bytes.ts'
import type { Tunnels } from '../tunnels/tunnels.ts'
import { createDrainTunnels } from './drain-tunnels.ts'
import { createPeerGateway } from './peer-gateway.ts'
import { createPeerSignature } from './peer-signature.ts'
import { createPeerTunnels } from './peer-tunnels.ts'
import { createPublishTunnels } from './publish-tunnels.ts'
import { createRebalanceTunnels } from './rebalance-tunnels.ts'
import { createRedisDirectory } from './redis-directory.ts'
import { createMemoryDirectory } from './tunnel-directory.ts'

/** The shared Redis, and the URL of this replica's internal listener for the others. */
export type SharedByReplicas = { redis: Redis; url: string }

type Deps = {
  tunnels: Tunnels
  /** Absent: this replica is the only one. */
  shared: SharedByReplicas | undefined
  /** False for a process that does not accept tunnels, such as a worker. */
  takesTunnels: boolean
  secret: Secret
  previousSecret: Secret | undefined
  queued: QueuedBytes
  /** Tunnels that one daemon may hold, on all replicas together. */
  maxTunnelsOf: (orgId: string) => number
  acceptsPerSecond: number
  /** A tunnel on another replica was lost. */
  onLeft(orgId: string): void
  /** False once this replica drains. */
  staying(): boolean
  clock: Clock
  log: Log
}

/** The control plane's replicas: the directory of tunnels, and the hop to the replica that holds one. */
export function createReplicas(deps: Deps) {
  const { tunnels, shared, takesTunnels, secret, previousSecret, queued, acceptsPerSecond, clock, log } = deps
  const replicaId = randomUUID()
  const tunnelCount = takesTunnels ? () => tunnels.all().length : undefined
  const directory =
    shared === undefined
      ? createMemoryDirectory()
      : createRedisDirectory({ ...shared, replicaId, tunnelCount, clock, log })
  const publishing = createPublishTunnels({ tunnels, directory, maxTunnelsOf: deps.maxTunnelsOf, clock, log })
  const signature = createPeerSignature({ secret, previous: previousSecret, clock })
  const peers = createPeerTunnels({ replicaId, directory, signature, left: deps.onLeft, clock, log })
  // After the peers, which then look anew for those who wait.
  directory.onChange(tunnels.changed)
  const rebalancing = createRebalanceTunnels({
    replicaId,
    tunnels,
    directory,
    renew: publishing.renew,
    acceptsPerSecond,
    staying: deps.staying,
    clock,
    log,
  })

  return {
    replicaId,
    directory,
    publishing,
    /** A tunnel of another replica, over one hop; undefined when no other replica holds one. */
    findElsewhere: peers.find,
    /** The upgrades of other replicas, for the internal listener. */
    peerUpgrade: createPeerGateway({ replicaId, tunnels, signature, queued, clock, log }),
    /** Moves every daemon to another replica. */
    drain: createDrainTunnels({ tunnels, directory, acceptsPerSecond, clock }),
    start: (): void => {
      publishing.start()
      rebalancing.start()
      void directory.start()
    },
    /** Closes the hops and stops the upkeep. Call `close` of the directory after the tunnels are closed. */
    stop: async (): Promise<void> => {
      await Promise.all([publishing.close(), rebalancing.close()])
      peers.close()
    },
    close: (): Promise<void> => directory.close(),
  }
}
