import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import {
  Done,
  HostedStatus,
  IdleSleepRequest,
  IdleSleepResult,
  OrgParams,
  OrgSlugParams,
} from '@svc/shared/wire/control-plane.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Guards } from '../http/guards.ts'
import { toIdleSleep, type createReadHostedStatus } from './read-hosted-status.ts'

type Deps = {
  guards: Guards
  readHostedStatus: ReturnType<typeof createReadHostedStatus>
  updateIdleSeconds(orgId: string, seconds: number | null): Promise<boolean>
  /** Idle time of organizations without a setting of their own. */
  idleSeconds: number
  wake(orgId: string): Promise<unknown>
}

/** Routes with which members see and wake their hosted daemon, and admins set when it sleeps. */
export function managedDaemonsRoutes(deps: Deps): FastifyPluginAsyncZod {
  const { guards, readHostedStatus, updateIdleSeconds, idleSeconds, wake } = deps

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
      async ({ membership: { organization }, body: { seconds } }) => {
        if (!(await updateIdleSeconds(organization.id, seconds))) throw fail('not_hosted_daemon')
        return { ok: true as const, idleSleep: toIdleSleep(seconds, idleSeconds) }
      },
    )
  }
}
