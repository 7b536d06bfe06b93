import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import type { OrganizationLimits, OwnLimits } from '@svc/shared/wire/admin/limits.api.ts'
import type { Db } from '../db/database.ts'
import { effectiveLimits, parseOwnLimits, useSettings } from './limit-settings.ts'
import { organizationLimitsRepository } from './limit-settings.repository.ts'
import type { OrgLimitSettings } from './org-use.ts'

const POLL_MS = 2_000
/** Rows are read again for this long: they can become visible late, and clocks differ a little. */
const OVERLAP_MS = 60_000

export type LimitsOf = (orgId: string) => { limits: OrganizationLimits; use: OrgLimitSettings }

type Deps = { db: Db; clock: Clock; log: Log; platform: OrganizationLimits }

/**
 * The limits of organizations as this replica knows them. A change is applied within two seconds, without a restart.
 * Few organizations have limits of their own, so all of these are in memory.
 */
export function createFollowLimits({ db, clock, log, platform }: Deps) {
  const repository = organizationLimitsRepository(db)
  const defaults = { limits: platform, use: useSettings(platform) }
  const known = new Map<string, ReturnType<LimitsOf> & { text: string }>()
  let readUntil: Date | undefined

  const adopt = (orgId: string, own: OwnLimits): void => {
    const text = JSON.stringify(own)
    // Unchanged limits stay the same object, which is how the gateway tells that nothing changed.
    if (known.get(orgId)?.text === text) return
    const limits = effectiveLimits(own, platform)
    if (text === '{}') known.delete(orgId)
    else known.set(orgId, { limits, use: useSettings(limits), text })
  }

  const poll = async (): Promise<void> => {
    const now = clock.now()
    const rows =
      readUntil === undefined
        ? await repository.listAll()
        : await repository.listSince(new Date(readUntil.getTime() - OVERLAP_MS))
    for (const { organization_id: orgId, own } of rows) adopt(orgId, parseOwnLimits(own))
    readUntil = now
  }

  const limitsOf: LimitsOf = (orgId) => known.get(orgId) ?? defaults
  return {
    ...repeat({ everyMs: POLL_MS, task: poll, first: 'at_once', clock, log, name: 'limits of organizations' }),
    limitsOf,
    adopt,
  }
}
