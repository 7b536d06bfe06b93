import type { Guards } from '../http/guards.ts'
import { auditRoutes } from './audit.routes.ts'
import { createAuditTrail, type AuditDeps } from './audit-trail.ts'

export type Audit = ReturnType<typeof createAudit>

/** The audit and its routes. */
export function createAudit(deps: AuditDeps) {
  const audit = createAuditTrail(deps)
  return { ...audit, routes: (guards: Guards) => [auditRoutes({ guards, audit })] }
}
