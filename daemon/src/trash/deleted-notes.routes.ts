import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import { DeletedNotes, DeletedNotesQuery } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { isTrashId } from '@svc/shared/wire/daemon/daemon-trash.api.ts'
import { VaultParams } from '@svc/shared/wire/daemon/daemon.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { ListDeletedNotes } from '../history/list-deleted-notes.ts'
import type { NoteHistory } from '../history/note-history.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import type { Vault } from '../vaults/vault.ts'
import type { Trash } from './trash.ts'

type Deps = {
  registry: VaultRegistry
  trash: Pick<Trash, 'find'>
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
      async ({ params, query: { limit, cursor: offset = 0 } }, reply) => {
        const vault = registry.find(params.vaultId)
        await vault.listed
        const history = historyOf(vault)
        const left = new AbortController()
        whenClosed(reply.raw, () => left.abort(fail('stream_reset')))
        const findRemoved = inTrash(vault, trash, left.signal)
        const { notes, hasMore } = await listDeletedNotes(history, {
          isElsewhere: async (path, { deletions }) => {
            if (vault.manifest.file(path) !== undefined) return true
            for (const id of deletions) {
              const removed = await findRemoved(id)
              if (removed !== undefined && (path === removed || path.startsWith(`${removed}/`))) return true
            }
            return false
          },
          limit,
          offset,
          signal: left.signal,
        })
        const nextCursor = hasMore ? { nextCursor: String(offset + limit) } : {}
        return { ok: true as const, state: history.state(), notes, ...nextCursor }
      },
    )
  }
}

/** The path of an entry of the trash by its id. A deletion of a folder is asked for each of its notes, and read once. */
function inTrash(vault: Vault, trash: Pick<Trash, 'find'>, signal: AbortSignal) {
  const known = new Map<string, string | undefined>()
  return async (id: string): Promise<string | undefined> => {
    if (known.has(id)) return known.get(id)
    signal.throwIfAborted()
    // What a commit names is only text.
    const path = isTrashId(id) ? (await trash.find(vault, id))?.path : undefined
    known.set(id, path)
    return path
  }
}
