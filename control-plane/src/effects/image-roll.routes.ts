import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { ImageRollRequest, ImageRollResult } from '@svc/shared/wire/admin/admin.api.ts'
import { OrgParams } from '@svc/shared/wire/control-plane.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import type { Guards } from '../http/guards.ts'
import { sendRecorded, withOperationId } from '../operations/operation-reply.ts'
import type { RunOperation } from '../operations/run-operation.ts'
import { findRollId, type FindRecord } from './derive-roll-id.ts'
import type { ResolveImage } from '../registry/resolve-image.ts'
import type { AdmitHosted } from './hosted-organization.ts'

type Deps = {
  guards: Guards
  run: RunOperation
  store: ManagedDaemonStore
  /** Throws image_not_allowed unless the image may run here. */
  checkImage: (image: string) => void
  resolveImage: ResolveImage
  admitHosted: AdmitHosted
  findOperation: FindRecord
}

const REASON = 'image roll'

/**
 * Rolls one managed daemon to an exact image, as one audited operation. The only route that accepts the bearer token.
 */
export function imageRollRoutes(deps: Deps): FastifyPluginAsyncZod {
  const { guards, run, store, checkImage, resolveImage, admitHosted, findOperation } = deps
  return async (app) => {
    app.post(
      '/api/admin/managed-daemons/:orgId/image',
      {
        onRequest: guards.systemAdminOrImageToken,
        schema: { params: OrgParams, body: ImageRollRequest, response: { 200: ImageRollResult } },
      },
      async ({ actor, params: { orgId }, body: { confirmation, reason = REASON, ...body } }, reply) => {
        if (confirmation !== orgId) throw fail('confirmation_mismatch')
        checkImage(body.image)

        // Without an id, one is derived from the digest: a tag that has moved is another roll. With an id, the executor
        // resolves the tag.
        const image = body.operationId === undefined ? await resolveImage(body.image) : body.image
        const findId = async () => {
          const daemon = await store.find(managedDaemonName(orgId))
          return findRollId({ orgId, image, actor, reason, daemon }, findOperation)
        }
        const operationId = body.operationId ?? (await findId())
        const request = { operationId, action: 'image_roll', orgId, actor, reason, input: { image } } as const
        try {
          return sendRecorded(reply, await run(request, { admit: () => admitHosted(orgId) }))
        } catch (error) {
          throw withOperationId(error, operationId)
        }
      },
    )
  }
}
