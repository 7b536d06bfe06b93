import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { AuditChain, AuditRecord } from '@svc/shared/wire/audit.api.ts'
import { Done, OrgParams } from '@svc/shared/wire/control-plane.api.ts'
import type { Db } from '../db/database.ts'
import type { Guards } from '../http/guards.ts'
import { resetVaultOrigin } from './vault-origins.ts'

export type VaultOriginRouteDeps = {
  guards: Guards
  db: Db
  clock: Clock
  /** Appends an audit entry in the caller's transaction. */
  recordAudit(trx: Db, chain: AuditChain, record: Omit<AuditRecord, 'at'>): Promise<void>
}

/**
 * Replaces the web origin of an organization's vaults, which abandons every worker and cache that a page left on the
 * old one.
 */
export function vaultOriginRoutes({ guards, db, clock, recordAudit }: VaultOriginRouteDeps): FastifyPluginAsyncZod {
  return async (app) => {
    app.post(
      '/api/orgs/:orgId/vault-origin/reset',
      { onRequest: guards.orgAdmin, schema: { params: OrgParams, response: { 200: Done } } },
      async ({ actor, params: { orgId } }) => {
        await db.transaction().execute(async (trx) => {
          await resetVaultOrigin(trx, { orgId, clock })
          await recordAudit(trx, orgId, { event: 'vault_origin.reset', actor, orgId, outcome: 'done' })
        })
        return { ok: true as const }
      },
    )
  }
}
