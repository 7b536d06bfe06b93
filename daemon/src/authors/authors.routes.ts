import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import { AuthorsAnswer, AuthorsQuery } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { NoteParams } from '@svc/shared/wire/daemon/daemon.api.ts'
import { parseVaultPath } from '../files/vault-path.ts'
import type { NoteHistory } from '../history/note-history.ts'
import { JSON_TYPE, jsonInSlices } from '../http/json-in-slices.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import type { Vault } from '../vaults/vault.ts'
import { slices } from '../watch/slices.ts'
import type { NoteAuthors } from './note-authors.ts'

type Deps = { registry: VaultRegistry; historyOf: (vault: Vault) => NoteHistory; noteAuthors: NoteAuthors }

/** The authors of a note's lines. */
export function authorsRoutes({ registry, historyOf, noteAuthors }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      '/api/vaults/:vaultId/authors/*',
      {
        config: { relayed: ['vault-member'] },
        schema: { params: NoteParams, querystring: AuthorsQuery, response: { 200: AuthorsAnswer } },
      },
      async ({ params, query: { since } }, reply) => {
        const vault = registry.find(params.vaultId)
        const { runs, ...note } = await noteAuthors(vault, parseVaultPath(params['*']))
        const from = since === undefined ? undefined : new Date(since).toISOString()
        const wanted = from === undefined ? runs : runs.filter(({ at }) => at !== undefined && at > from)
        const answer: z.infer<typeof AuthorsAnswer> = {
          ok: true,
          state: historyOf(vault).state(),
          note: { ...note, runs: wanted },
        }
        return reply.type(JSON_TYPE).send(jsonInSlices(answer, slices()) as never)
      },
    )
  }
}
