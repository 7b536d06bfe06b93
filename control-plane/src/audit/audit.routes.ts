import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { AuditChain, AuditList, AuditQuery, AuditVerification, AuditVerifyQuery } from '@svc/shared/wire/audit.api.ts'
import type { Guards } from '../http/guards.ts'
import { decodeCursor, encodeCursor } from '../http/page-cursor.ts'
import { PLATFORM } from './audit.repository.ts'
import type { AuditTrail } from './audit-trail.ts'
import { toAuditEntry } from './export-audit.ts'

const AuditExport = z.string().describe('One entry or checkpoint a line, JSON (application/x-ndjson).')

/** Reads, verifies and exports the audit. Nothing here changes it, but that an export is itself audited. */
export function auditRoutes({ guards, audit }: { guards: Guards; audit: AuditTrail }): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      '/api/admin/audit',
      { onRequest: guards.systemAdmin, schema: { querystring: AuditQuery, response: { 200: AuditList } } },
      async ({ query: { chain, limit, cursor } }) => {
        const [before] = decodeCursor(cursor, 1) ?? []
        const rows = await audit.listBefore(chain, Number(before ?? Number.MAX_SAFE_INTEGER), limit + 1)
        const entries = rows.slice(0, limit).map(toAuditEntry)
        const last = entries.at(-1)
        return {
          ok: true as const,
          chain,
          entries,
          ...(rows.length > limit && last ? { nextCursor: encodeCursor(String(last.seq)) } : {}),
        }
      },
    )

    app.get(
      '/api/admin/audit/verify',
      {
        onRequest: guards.systemAdmin,
        schema: { querystring: AuditVerifyQuery, response: { 200: AuditVerification } },
      },
      async ({ query: { chain } }) => {
        const found = await audit.verify(chain)
        return { ok: true as const, valid: found.broken.length === 0, ...found }
      },
    )

    app.get(
      '/api/admin/audit/export',
      {
        onRequest: guards.systemAdmin,
        schema: { querystring: z.strictObject({ chain: AuditChain }), response: { 200: AuditExport } },
      },
      async ({ actor, query: { chain } }, reply) => {
        await audit.insert(PLATFORM, {
          event: 'audit.exported',
          actor,
          ...(chain === PLATFORM ? {} : { orgId: chain }),
        })
        return (reply as FastifyReply)
          .type('application/x-ndjson')
          .header('content-disposition', `attachment; filename="audit-${chain}.ndjson"`)
          .send(Readable.from(audit.exportChain(chain)))
      },
    )
  }
}
