import type { Guards } from '../http/guards.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import { auditNamesRepository } from './audit-names.repository.ts'
import { auditRoutes } from './audit.routes.ts'
import { createDescribeAudit } from './describe-audit.ts'
import { createSearchAudit } from './search-audit.ts'
import { createAuditTrail, type AuditDeps } from './audit-trail.ts'

export type Audit = ReturnType<typeof createAudit>

/** The audit and its routes. */
export function createAudit(deps: AuditDeps) {
  const audit = createAuditTrail(deps)
  const describe = createDescribeAudit({ search: createSearchAudit(audit), names: auditNamesRepository(deps.db) })
  return {
    ...audit,
    routes: (by: { guards: Guards; rateLimit: RateLimit }) => [auditRoutes({ ...by, audit, describe })],
  }
}
