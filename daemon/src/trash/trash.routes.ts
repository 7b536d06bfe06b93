import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import {
  RestoreRequest,
  TrashEmptied,
  TrashList,
  TrashParams,
  TrashQuery,
  TrashRestored,
} from '@svc/shared/wire/daemon/daemon-trash.api.ts'
import { VaultParams } from '@svc/shared/wire/daemon/daemon.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { JSON_TYPE, jsonInSlices } from '../http/json-in-slices.ts'
import { actorOf } from '../http/request-caller.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import { slices } from '../watch/slices.ts'
import type { Trash } from './trash.ts'

/** Lists, restores and permanently deletes what is in the trash. */
export function trashRoutes({ registry, trash }: { registry: VaultRegistry; trash: Trash }): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      '/api/vaults/:vaultId/trash',
      {
        config: { relayed: ['vault-member'] },
        schema: { params: VaultParams, querystring: TrashQuery, response: { 200: TrashList } },
      },
      async ({ params, query }, reply) => {
        const left = new AbortController()
        whenClosed(reply.raw, () => left.abort(fail('stream_reset')))
        const page = await trash.list(registry.find(params.vaultId), query, left.signal)
        const answer: z.infer<typeof TrashList> = { ok: true, ...page }
        return reply.type(JSON_TYPE).send(jsonInSlices(answer, slices()) as never)
      },
    )

    app.post(
      '/api/vaults/:vaultId/trash/:trashId/restore',
      {
        config: { relayed: ['vault-member'] },
        schema: { params: TrashParams, body: RestoreRequest, response: { 200: TrashRestored } },
      },
      async ({ params, body, caller }) => {
        const wish = { vault: registry.find(params.vaultId), id: params.trashId, path: body.path, by: actorOf(caller) }
        return { ok: true as const, ...(await trash.restore(wish)) }
      },
    )

    app.delete(
      '/api/vaults/:vaultId/trash/:trashId',
      { config: { relayed: ['vault-admin'] }, schema: { params: TrashParams, response: { 200: TrashEmptied } } },
      async ({ params, caller }) => {
        await trash.purge({ vault: registry.find(params.vaultId), id: params.trashId, by: actorOf(caller) })
        return { ok: true as const, id: params.trashId }
      },
    )
  }
}
