import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import type { ConfirmedRequest, OperationAction } from '@svc/shared/wire/admin/admin.api.ts'
import { OrgParams } from '@svc/shared/wire/control-plane.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Guards } from '../http/guards.ts'
import { sendRecorded } from '../operations/operation-reply.ts'
import type { RunOperation } from '../operations/run-operation.ts'
import type { OperationInput } from '../operations/operation.ts'
import type { AdmitHosted, FindOrganization } from './hosted-organization.ts'

export type ConfirmedDeps = {
  guards: Guards
  run: RunOperation
  findOrganization: FindOrganization
  admitHosted: AdmitHosted
}

type Body = z.ZodType<z.infer<typeof ConfirmedRequest> & OperationInput>

/** An audited operation of system admins that takes an operationId, a reason and the exact slug of the organization. */
export type ConfirmedOperation = { path: string; action: OperationAction; body: Body; result: z.ZodType }

/** Adds the routes of these operations. */
export function mountConfirmed(
  app: FastifyInstance,
  { guards, run, findOrganization, admitHosted }: ConfirmedDeps,
  operations: readonly ConfirmedOperation[],
): void {
  for (const { path, action, body, result } of operations)
    app.withTypeProvider<ZodTypeProvider>().post(
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
