import type { Guards } from '../http/guards.ts'
import { mutationsRoutes, type FindSlug } from './mutations.routes.ts'
import { operationsApi, type OperationsDeps } from './operations-api.ts'

export type Operations = ReturnType<typeof createOperations>

/** The engine of audited operations and the routes that show what it did. */
export function createOperations(deps: OperationsDeps) {
  const operations = operationsApi(deps)
  return {
    ...operations,
    routes: (guards: Guards, findOrganization: FindSlug) => mutationsRoutes({ guards, operations, findOrganization }),
  }
}
