import type { Guards } from '../http/guards.ts'
import { auditApi, type AuditDeps } from './audit-api.ts'
import { auditRoutes } from './audit.routes.ts'

export type Audit = ReturnType<typeof createAudit>

/** The audit and its routes. */
export function createAudit(deps: AuditDeps) {
  const audit = auditApi(deps)
  return { ...audit, routes: (guards: Guards) => auditRoutes({ guards, audit }) }
}
