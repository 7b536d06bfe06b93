import type { Redis } from 'ioredis'
import type { BodyPace } from '@svc/shared/kit/body-pace.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Entry } from '../entry/entry.domain.ts'
import type { createLimits } from '../limits/limits.domain.ts'
import type { DaemonTunnels } from '../tunnels/tunnels.domain.ts'
import { createEnterVault } from './enter-vault.ts'
import { createPublicGateway } from './public-gateway.ts'
import { createRequestAssertions } from './request-assertions.ts'
import { createWakeQueue, type HostedDaemons } from './wake-queue.ts'

type Deps = {
  baseUrl: string
  entry: Entry
  tunnels: DaemonTunnels
  limits: ReturnType<typeof createLimits>
  hosted: HostedDaemons
  /** What replicas share; absent: this replica is the only one. */
  redis: Redis | undefined
  bodyPace?: BodyPace | undefined
  clock: Clock
  log: Log
}

export type Gateway = ReturnType<typeof createGateway>

/** The browsers' side of the relay: vault origins, whose requests go to daemons. */
export function createGateway({ baseUrl, entry, tunnels, limits, hosted, redis, bodyPace, clock, log }: Deps) {
  const { origins, sessions, signingKeys, verify } = entry
  const { replicaId, replicaCount: replicas } = tunnels
  const { queued } = limits
  const orgLimits = limits.ofOrganizations({ replicaId, replicas, redis })

  return {
    // It gets the request signer alone: the gateway cannot speak as the platform.
    door: createPublicGateway({
      baseUrl,
      origins,
      entries: sessions,
      enterVault: createEnterVault({ baseUrl, secure: origins.secure, entries: sessions, verifyEntry: verify }),
      assertionFor: createRequestAssertions({ sign: signingKeys.signer('request'), clock }),
      wakeQueue: createWakeQueue({ tunnels, hosted }),
      limits: orgLimits,
      queued,
      bodyPace,
      log,
    }),
    start: (): void => {
      orgLimits.start()
      queued.start()
    },
    close: async (): Promise<void> => {
      await Promise.all([orgLimits.close(), queued.close()])
    },
  }
}
