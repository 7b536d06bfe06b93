import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { DeletedNotes, DeletedNotesQuery } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { VaultParams } from '@svc/shared/wire/daemon/daemon.api.ts'
import type { ListDeletedNotes } from '../history/list-deleted-notes.ts'
import type { NoteHistory } from '../history/note-history.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import type { Vault } from '../vaults/vault.ts'
import type { Trash } from './trash.ts'

type Deps = {
  registry: VaultRegistry
  trash: Pick<Trash, 'list'>
  historyOf: (vault: Vault) => NoteHistory
  listDeletedNotes: ListDeletedNotes
}

/**
 * The deleted notes that are not in the trash: a program removed their files, or somebody emptied the trash by hand.
 */
export function deletedNotesRoutes({ registry, trash, historyOf, listDeletedNotes }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      '/api/vaults/:vaultId/deleted',
      {
        config: { relayed: ['vault-member'] },
        schema: { params: VaultParams, querystring: DeletedNotesQuery, response: { 200: DeletedNotes } },
      },
      async ({ params, query: { limit, cursor: offset = 0 } }) => {
        const vault = registry.find(params.vaultId)
        await vault.listed
        const history = historyOf(vault)
        const inTrash = new Map((await trash.list(vault)).map(({ id, path }) => [id, path]))
        const { notes, hasMore } = await listDeletedNotes(history, {
          isElsewhere: (path, { deletions }) =>
            vault.manifest.file(path) !== undefined ||
            deletions.some((id) => {
              const removed = inTrash.get(id)
              return removed !== undefined && (path === removed || path.startsWith(`${removed}/`))
            }),
          limit,
          offset,
        })
        const nextCursor = hasMore ? { nextCursor: String(offset + limit) } : {}
        return { ok: true as const, state: history.state(), notes, ...nextCursor }
      },
    )
  }
}
