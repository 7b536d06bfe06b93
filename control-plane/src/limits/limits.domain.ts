import type { Redis } from 'ioredis'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { OrganizationLimits } from '@svc/shared/wire/admin/limits.api.ts'
import type { Db } from '../db/database.ts'
import type { GrowthSettings } from '../managed-daemons/auto-grow.ts'
import { personSettings } from './fair-share.ts'
import { createFollowLimits } from './follow-limits.ts'
import { createOrgLimits, LEASE_MS } from './org-limits.ts'
import type { OrgLimitSettings } from './org-use.ts'
import { effectiveLimits, parseOwnLimits } from './limit-settings.ts'
import { organizationLimitsRepository } from './limit-settings.repository.ts'
import { organizationLimitsRoutes, type LimitsRoutesDeps } from './limit-settings.routes.ts'
import { createQueuedBytes } from './queued-bytes.ts'
import { createRedisUseLedger } from './use-ledger.ts'

type Deps = {
  db: Db
  /** The limits of an organization that has none of its own. */
  platform: OrganizationLimits
  /** How volumes grow by themselves, up to the size of the limits. */
  growth: GrowthSettings
  /** Fixed limits of use for every organization, instead of those of the platform. */
  settings?: OrgLimitSettings | undefined
  /** How long the permits of a silent replica stay reserved. */
  leaseMs?: number | undefined
  clock: Clock
  log: Log
}

type AmongReplicas = { replicaId: string; replicas: () => number; redis: Redis | undefined }
type RouteDeps = Omit<LimitsRoutesDeps, 'db' | 'clock' | 'platform' | 'changed'> & {
  changed(orgId: string): Promise<void>
}

/** The limits of an organization and of each person in it. */
export function createLimits({ db, platform, growth, settings, leaseMs = LEASE_MS, clock, log }: Deps) {
  const following = createFollowLimits({ db, clock, log, platform })
  const settingsOf = (orgId: string) => settings ?? following.limitsOf(orgId).use
  const queued = createQueuedBytes({
    personBytesOf: (orgId) => personSettings(settingsOf(orgId)).queuedBytes,
    clock,
    log,
  })

  return {
    queued,
    limitsOf: following.limitsOf,
    /** How the volume of a hosted daemon grows by itself, as it is stored now. */
    growthOf: async (orgId: string): Promise<GrowthSettings> => {
      const own = parseOwnLimits(await organizationLimitsRepository(db).find(orgId))
      return { ...growth, maxSize: effectiveLimits(own, platform).storageMaxSize ?? undefined }
    },
    start: following.start,
    close: following.close,
    /** The limits over all replicas; without Redis this replica is the only one. */
    ofOrganizations: ({ replicaId, replicas, redis }: AmongReplicas) => {
      const ledger = redis && createRedisUseLedger({ redis, replicaId, leaseMs })
      return createOrgLimits({ settingsOf, leaseMs, queued, replicas, ledger, clock, log })
    },
    routes: (deps: RouteDeps) => [
      organizationLimitsRoutes({
        ...deps,
        db,
        clock,
        platform,
        changed: async (orgId, own) => {
          following.adopt(orgId, own)
          await deps.changed(orgId)
        },
      }),
    ],
  }
}
