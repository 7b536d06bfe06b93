import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import {
  type AuditChain,
  AuditExportQuery,
  AuditList,
  AuditQuery,
  AuditVerification,
  AuditVerifyQuery,
  OrganizationAuditQuery,
} from '@svc/shared/wire/audit.api.ts'
import { OrgParams } from '@svc/shared/wire/control-plane.api.ts'
import type { Guards } from '../http/guards.ts'
import { limitByAddress, type RateLimit } from '../http/rate-limit.ts'
import { PLATFORM } from './audit.repository.ts'
import type { AuditTrail } from './audit-trail.ts'
import type { createDescribeAudit } from './describe-audit.ts'

const AuditExport = z.string().describe('One entry or checkpoint a line, JSON (application/x-ndjson).')

type Deps = {
  guards: Guards
  rateLimit: RateLimit
  audit: AuditTrail
  describe: ReturnType<typeof createDescribeAudit>
}

/** One verification may take seconds of CPU time. */
const VERIFICATIONS = { key: 'audit-verification', max: 30, seconds: 300 }

/**
 * Reads, verifies and exports the audit. Admins of an organization read and verify its own chain. The only row these
 * routes write is the entry for an export.
 */
export function auditRoutes({ guards, rateLimit, audit, describe }: Deps): FastifyPluginAsyncZod {
  const limitVerifications = limitByAddress(rateLimit, VERIFICATIONS)
  const verify = async (chain: AuditChain | undefined) => {
    const found = await audit.verify(chain)
    return { ok: true as const, valid: found.broken.length === 0, ...found }
  }

  return async (app) => {
    app.get(
      '/api/admin/audit',
      { onRequest: guards.systemAdmin, schema: { querystring: AuditQuery, response: { 200: AuditList } } },
      async ({ query: { chain, ...query } }) => describe.list(await describe.findChain(chain), query),
    )

    app.get(
      '/api/orgs/:orgId/audit',
      {
        onRequest: guards.orgAdmin,
        schema: { params: OrgParams, querystring: OrganizationAuditQuery, response: { 200: AuditList } },
      },
      ({ params: { orgId }, query }) => describe.listForOrganization(orgId, query),
    )

    app.get(
      '/api/orgs/:orgId/audit/verify',
      {
        onRequest: [guards.orgAdmin, limitVerifications],
        schema: { params: OrgParams, response: { 200: AuditVerification } },
      },
      ({ params: { orgId } }) => verify(orgId),
    )

    app.get(
      '/api/admin/audit/verify',
      {
        onRequest: [guards.systemAdmin, limitVerifications],
        schema: { querystring: AuditVerifyQuery, response: { 200: AuditVerification } },
      },
      async ({ query: { chain } }) => verify(chain === undefined ? undefined : await describe.findChain(chain)),
    )

    app.get(
      '/api/admin/audit/export',
      {
        // Each request is recorded as an export.
        exposeHeadRoute: false,
        onRequest: guards.systemAdmin,
        schema: {
          querystring: AuditExportQuery,
          response: { 200: { content: { 'application/x-ndjson': { schema: AuditExport } } } },
        },
      },
      async ({ actor, query }, reply) => {
        const chain = await describe.findChain(query.chain)
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
