import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { Done, HostedStatus, OrgSlugParams } from '@svc/shared/wire/control-plane.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Guards } from '../http/guards.ts'
import type { readHostedStatus } from './read-hosted-status.ts'

type Deps = {
  guards: Guards
  readHostedStatus: ReturnType<typeof readHostedStatus>
  wake(orgId: string): Promise<unknown>
}

/** What members see of the life of their hosted daemon, and how they wake it when its vaults are not to be seen. */
export function managedDaemonsRoutes({ guards, readHostedStatus, wake }: Deps): FastifyPluginAsyncZod {
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
  }
}
