import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { FolderDeleted, FolderMade, NoteParams } from '@svc/shared/wire/daemon/daemon.api.ts'
import { actorOf } from '../http/request-caller.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import { parseVaultPath } from '../files/vault-path.ts'
import { createFolder } from './create-folder.ts'
import type { DeleteFolder } from './delete-folder.ts'

const URL = '/api/vaults/:vaultId/folders/*'

type Deps = { registry: VaultRegistry; deleteFolder: DeleteFolder }

/** Routes that create a folder, and that move one to the trash. */
export function foldersRoutes({ registry, deleteFolder }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.post(
      URL,
      {
        config: { relayed: ['vault-member'] },
        schema: { params: NoteParams, response: { 200: FolderMade, 201: FolderMade } },
      },
      async ({ params, caller }, reply) => {
        const wish = { vault: registry.find(params.vaultId), path: parseVaultPath(params['*']), by: actorOf(caller) }
        const { path, created } = await createFolder(wish)
        return reply.code(created ? 201 : 200).send({ ok: true, folder: { path } })
      },
    )

    app.delete(
      URL,
      { config: { relayed: ['vault-member'] }, schema: { params: NoteParams, response: { 200: FolderDeleted } } },
      async ({ params, caller }) => {
        const asked = parseVaultPath(params['*'])
        const path = await deleteFolder({ vault: registry.find(params.vaultId), path: asked, by: actorOf(caller) })
        return { ok: true as const, path, trashed: true as const }
      },
    )
  }
}
