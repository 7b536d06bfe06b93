import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { SearchQuery, SearchResult, VaultParams } from '@svc/shared/wire/daemon/daemon.api.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import type { SearchNotes } from './search-notes.ts'

/** Search in one vault. */
export function searchRoutes({
  registry,
  searchNotes,
}: {
  registry: VaultRegistry
  searchNotes: SearchNotes
}): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      '/api/vaults/:vaultId/search',
      {
        config: { relayed: ['vault-member'] },
        schema: { params: VaultParams, querystring: SearchQuery, response: { 200: SearchResult } },
      },
      async ({ params, query }) => ({
        ok: true as const,
        ...(await searchNotes(registry.find(params.vaultId), query)),
      }),
    )
  }
}
