import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import {
  Done,
  HostedStatus,
  IdleSleepRequest,
  IdleSleepResult,
  OrgParams,
  OrgSlugParams,
} from '@svc/shared/wire/control-plane.api.ts'
import type { AuditChain, AuditRecord } from '@svc/shared/wire/audit.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { recordOfSetting } from '../audit/record-of-setting.ts'
import type { Db } from '../db/database.ts'
import type { Guards } from '../http/guards.ts'
import { toIdleSleep, type createReadHostedStatus } from './read-hosted-status.ts'

export type RecordAuditIn = (trx: Db, chain: AuditChain, record: Omit<AuditRecord, 'at'>) => Promise<unknown>

type Deps = {
  guards: Guards
  readHostedStatus: ReturnType<typeof createReadHostedStatus>
  db: Db
  /** False when the organization has no hosted daemon. */
  updateIdleSeconds(trx: Db, orgId: string, seconds: number | null): Promise<boolean>
  recordAudit: RecordAuditIn
  /** Idle time of organizations without a setting of their own. */
  idleSeconds: number
  wake(orgId: string): Promise<unknown>
}

/** Routes with which members see and wake their hosted daemon, and admins set when it sleeps. */
export function managedDaemonsRoutes(deps: Deps): FastifyPluginAsyncZod {
  const { guards, readHostedStatus, db, updateIdleSeconds, recordAudit, idleSeconds, wake } = deps

  return async (app) => {
    app.get(
      '/api/orgs/:orgSlug/hosted/status',
      { onRequest: guards.member, schema: { params: OrgSlugParams, response: { 200: HostedStatus } } },
      async ({ membership: { organization } }) => {
        if (organization.daemonMode !== 'cloud_hosted') throw fail('not_hosted_daemon')
        return { ok: true as const, status: await readHostedStatus(organization.id) }
      },
    )

    app.post(
      '/api/orgs/:orgSlug/hosted/wake',
      { onRequest: guards.member, schema: { params: OrgSlugParams, response: { 200: Done } } },
      async ({ membership: { organization } }) => {
        if (organization.daemonMode !== 'cloud_hosted') throw fail('not_hosted_daemon')
        await wake(organization.id)
        return { ok: true as const }
      },
    )

    app.patch(
      '/api/orgs/:orgId/hosted/idle-sleep',
      {
        onRequest: guards.orgAdmin,
        schema: { params: OrgParams, body: IdleSleepRequest, response: { 200: IdleSleepResult } },
      },
      async ({ membership: { organization }, session: { person }, body: { seconds } }) => {
        const orgId = organization.id
        await db.transaction().execute(async (trx) => {
          if (!(await updateIdleSeconds(trx, orgId, seconds))) throw fail('not_hosted_daemon')
          const event = 'organization.idle_sleep_set'
          await recordAudit(trx, orgId, recordOfSetting({ event, orgId, userId: person.id, seconds }))
        })
        return { ok: true as const, idleSleep: toIdleSleep(seconds, idleSeconds) }
      },
    )
  }
}
