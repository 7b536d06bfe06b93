import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import {
  AuditChain,
  type AuditEntry,
  AuditList,
  AuditQuery,
  AuditVerification,
  AuditVerifyQuery,
  OrganizationAuditQuery,
} from '@svc/shared/wire/audit.api.ts'
import { OrgParams } from '@svc/shared/wire/control-plane.api.ts'
import type { Guards } from '../http/guards.ts'
import { decodeCursor, encodeCursor } from '../http/page-cursor.ts'
import { PLATFORM } from './audit.repository.ts'
import type { AuditTrail } from './audit-trail.ts'
import { toAuditEntry } from './export-audit.ts'

const AuditExport = z.string().describe('One entry or checkpoint a line, JSON (application/x-ndjson).')

/** Reads, verifies and exports the audit; admins of an organization read its own chain. Nothing here changes it, but that an export is itself audited. */
export function auditRoutes({ guards, audit }: { guards: Guards; audit: AuditTrail }): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      '/api/admin/audit',
      { onRequest: guards.systemAdmin, schema: { querystring: AuditQuery, response: { 200: AuditList } } },
      async ({ query }) => listChain(audit, query),
    )

    app.get(
      '/api/orgs/:orgId/audit',
      {
        onRequest: guards.orgAdmin,
        schema: { params: OrgParams, querystring: OrganizationAuditQuery, response: { 200: AuditList } },
      },
      async ({ params: { orgId }, query }) => {
        const page = await listChain(audit, { chain: orgId, ...query })
        return { ...page, entries: page.entries.map(withoutInternals) }
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

type Page = { chain: AuditChain; limit: number; cursor?: string | undefined }

/** An entry without what system admins note for themselves. */
function withoutInternals({ record: { reason: _reason, owner: _owner, ...record }, ...entry }: AuditEntry): AuditEntry {
  return { ...entry, record }
}

/** One page of a chain, newest first. */
async function listChain(audit: AuditTrail, { chain, limit, cursor }: Page) {
  const [before] = decodeCursor(cursor, 1) ?? []
  const rows = await audit.listBefore(chain, Number(before ?? Number.MAX_SAFE_INTEGER), limit + 1)
  const entries = rows.slice(0, limit).map(toAuditEntry)
  const last = entries.at(-1)
  const next = rows.length > limit && last !== undefined ? { nextCursor: encodeCursor(String(last.seq)) } : {}
  return { ok: true as const, chain, entries, ...next }
}
