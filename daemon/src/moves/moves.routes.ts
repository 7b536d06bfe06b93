import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { MoveRequest, MoveResult } from '@svc/shared/wire/daemon/daemon-moves.api.ts'
import { VaultParams } from '@svc/shared/wire/daemon/daemon.api.ts'
import { parseVaultPath } from '../files/vault-path.ts'
import { withFieldNames } from '../http/field-names.ts'
import { actorOf } from '../http/request-caller.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import type { MoveInVault } from './move-in-vault.ts'

/** Move or rename a note, an attachment or a folder. */
export function movesRoutes({
  registry,
  moves,
}: {
  registry: VaultRegistry
  moves: MoveInVault
}): FastifyPluginAsyncZod {
  return async (app) => {
    app.post(
      '/api/vaults/:vaultId/move',
      {
        config: { relayed: ['vault-member'] },
        schema: { params: VaultParams, body: MoveRequest, response: { 200: MoveResult } },
      },
      async ({ params, body: { from, to, dryRun, rewriteLinks }, caller }) => {
        const wish = {
          vault: registry.find(params.vaultId),
          from: await withFieldNames({ path: 'from' }, () => parseVaultPath(from)),
          to,
          links: rewriteLinks ? ('rewritten' as const) : ('left' as const),
          by: actorOf(caller),
        }
        return { ok: true as const, ...(dryRun ? await moves.plan(wish) : await moves.move(wish)) }
      },
    )
  }
}
