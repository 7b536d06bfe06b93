import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import {
  LimitsView,
  SetLimitsRequest,
  type OrganizationLimits,
  type OwnLimits,
} from '@svc/shared/wire/admin/limits.api.ts'
import type { AuditChain, AuditRecord } from '@svc/shared/wire/audit.api.ts'
import { OrgParams } from '@svc/shared/wire/control-plane.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Db } from '../db/database.ts'
import type { Guards } from '../http/guards.ts'
import { effectiveLimits, parseOwnLimits } from './limit-settings.ts'
import { organizationLimitsRepository } from './limit-settings.repository.ts'

export type LimitsRoutesDeps = {
  guards: Guards
  db: Db
  clock: Pick<Clock, 'now'>
  platform: OrganizationLimits
  findOrganization(orgId: string): Promise<{ slug: string } | undefined>
  recordAudit(trx: Db, chain: AuditChain, record: Omit<AuditRecord, 'at'>): Promise<unknown>
  /** Called after a change: this replica applies it at once, and the volume of a hosted daemon follows. */
  changed(orgId: string, own: OwnLimits): Promise<void>
}

/** The limits of one organization, which system admins read and set. */
export function organizationLimitsRoutes(deps: LimitsRoutesDeps): FastifyPluginAsyncZod {
  const { guards, db, clock, platform, findOrganization, recordAudit } = deps
  const view = (orgId: string, own: OwnLimits): LimitsView => {
    return { ok: true, orgId, limits: effectiveLimits(own, platform), own, platform }
  }
  const address = '/api/admin/orgs/:orgId/limits'

  return async (app) => {
    app.get(
      address,
      { onRequest: guards.systemAdmin, schema: { params: OrgParams, response: { 200: LimitsView } } },
      async ({ params: { orgId } }) => {
        if ((await findOrganization(orgId)) === undefined) throw fail('not_found')
        return view(orgId, parseOwnLimits(await organizationLimitsRepository(db).find(orgId)))
      },
    )

    app.put(
      address,
      {
        onRequest: [guards.systemAdmin, guards.freshSignIn],
        schema: { params: OrgParams, body: SetLimitsRequest, response: { 200: LimitsView } },
      },
      async ({ actor, params: { orgId }, body: { reason, confirmation, own } }) => {
        const organization = await findOrganization(orgId)
        if (organization === undefined) throw fail('not_found')
        if (confirmation !== organization.slug) throw fail('confirmation_mismatch')
        await db.transaction().execute(async (trx) => {
          await organizationLimitsRepository(trx).update(orgId, own, clock.now())
          await recordAudit(trx, orgId, {
            event: 'organization.limits_set',
            actor,
            orgId,
            reason,
            limits: inWords(own),
            outcome: 'done',
          })
        })
        await deps.changed(orgId, own)
        return view(orgId, own)
      },
    )
  }
}

const inWords = (own: OwnLimits): string => {
  const set = Object.entries(own).map(([name, value]) => `${name}=${value}`)
  return set.length === 0 ? 'platform' : set.join(' ')
}
