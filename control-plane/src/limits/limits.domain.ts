import type { Redis } from 'ioredis'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { personSettings } from './fair-share.ts'
import { createOrgLimits, defaultOrgLimits, LEASE_MS } from './org-limits.ts'
import { divideLimit } from './org-permits.ts'
import type { OrgLimitSettings } from './org-use.ts'
import { createQueuedBytes } from './queued-bytes.ts'
import { createRedisUseLedger } from './use-ledger.ts'

type Deps = {
  /** The limits of one organization on all replicas together. */
  settings?: OrgLimitSettings | undefined
  /** How long the permits of a silent replica stay reserved. */
  leaseMs?: number | undefined
  clock: Clock
  log: Log
}

type AmongReplicas = { replicaId: string; replicas: () => number; redis: Redis | undefined }

/** The limits of an organization and of each person in it. */
export function createLimits({ settings = defaultOrgLimits, leaseMs = LEASE_MS, clock, log }: Deps) {
  const queued = createQueuedBytes({ personBytes: personSettings(settings).queuedBytes, clock, log })

  return {
    queued,
    /** The limits over all replicas; without Redis this replica is the only one. */
    ofOrganizations: ({ replicaId, replicas, redis }: AmongReplicas) => {
      const { pool } = divideLimit(settings.concurrent, 'shared')
      const { bytesPerSecond } = settings
      const ledger = redis && createRedisUseLedger({ redis, replicaId, bytesPerSecond, pool, leaseMs })
      return createOrgLimits({ settings, leaseMs, queued, replicas, ledger, clock, log })
    },
  }
}
