import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { AuditList, AuditQuery, VaultParams } from '@svc/shared/wire/daemon/daemon.api.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'

/** The audit of one vault, newest first. */
export function auditRoutes({ registry }: { registry: VaultRegistry }): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      '/api/vaults/:vaultId/audit',
      {
        config: { relayed: ['vault-admin'] },
        schema: { params: VaultParams, querystring: AuditQuery, response: { 200: AuditList } },
      },
      async ({ params, query }) => ({
        ok: true as const,
        entries: await registry.find(params.vaultId).audit.newest(query.limit, query),
      }),
    )
  }
}
