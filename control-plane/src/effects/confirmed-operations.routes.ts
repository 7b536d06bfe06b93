import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import {
  CompedGrantResult,
  ConfirmedRequest,
  KeyRotationResult,
  ReinstallResult,
  SleepResult,
  StorageCheckResult,
  StorageGrowRequest,
  StorageGrowResult,
  type OperationAction,
} from '@svc/shared/wire/admin/admin.api.ts'
import { OrgParams } from '@svc/shared/wire/control-plane.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Guards } from '../http/guards.ts'
import { sendRecorded } from '../operations/operation-reply.ts'
import type { RunOperation } from '../operations/run-operation.ts'
import type { AdmitHosted, FindOrganization } from './hosted-organization.ts'

type Deps = { guards: Guards; run: RunOperation; findOrganization: FindOrganization; admitHosted: AdmitHosted }

type Confirmed = { path: string; action: OperationAction; body?: typeof StorageGrowRequest; result: z.ZodType }

const DAEMON = '/api/admin/managed-daemons/:orgId'
const operations: Confirmed[] = [
  { path: '/api/admin/orgs/:orgId/managed-daemon/comped', action: 'comped_grant', result: CompedGrantResult },
  { path: `${DAEMON}/storage/check`, action: 'storage_check', result: StorageCheckResult },
  { path: `${DAEMON}/storage/grow`, action: 'storage_grow', body: StorageGrowRequest, result: StorageGrowResult },
  { path: `${DAEMON}/key/rotate`, action: 'key_rotation', result: KeyRotationResult },
  { path: `${DAEMON}/sleep`, action: 'sleep', result: SleepResult },
  { path: `${DAEMON}/reinstall`, action: 'reinstall', result: ReinstallResult },
]

/** The audited operations that take an operationId, a reason and the exact slug of the organization. */
export function confirmedOperationsRoutes({ guards, run, findOrganization, admitHosted }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    for (const { path, action, body = ConfirmedRequest, result } of operations)
      app.post(
        path,
        {
          onRequest: [guards.systemAdmin, guards.freshSignIn],
          schema: { params: OrgParams, body, response: { 200: result } },
        },
        async ({ actor, params: { orgId }, body: { operationId, reason, confirmation, ...input } }, reply) => {
          const organization = await findOrganization(orgId)
          // For a deleted organization, only recorded outcomes can be returned.
          if (organization !== undefined && confirmation !== organization.slug) throw fail('confirmation_mismatch')

          const request = { operationId, action, orgId, actor, reason, input }
          return sendRecorded(reply, await run(request, { admit: () => admitHosted(orgId) }))
        },
      )
  }
}
