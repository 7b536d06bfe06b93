import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'
import type { Guards } from '../http/guards.ts'
import { agentRulesRoutes } from './agent-rules.routes.ts'
import { createDecideIntegrations, type RecordAudit } from './decide-integrations.ts'
import { integrationsRepository } from './integrations.repository.ts'
import { integrationsRoutes } from './integrations.routes.ts'
import { createFindUndone, type ListUndone } from './find-undone.ts'
import { undoneChangesRepository } from './undone-changes.repository.ts'

type Deps = { db: Db; clock: Clock; endpoint: string; recordAudit: RecordAudit; listUndone: ListUndone }

export type Integrations = ReturnType<typeof createIntegrations>

/** Which kinds of clients may work in an organization: requests, approvals, the platform's rules. */
export function createIntegrations({ db, clock, endpoint, recordAudit, listUndone }: Deps) {
  const findUndone = createFindUndone({ listUndone, undone: undoneChangesRepository(db, clock) })
  const integrations = integrationsRepository(db, clock)
  const decide = createDecideIntegrations({ db, clock, integrations, recordAudit, findUndone })

  return {
    findUndone,
    request: integrations.request,
    recordUses: integrations.recordUses,
    routes: (guards: Guards) => [
      integrationsRoutes({ guards, decide, endpoint }),
      agentRulesRoutes({ guards, db, integrations, recordAudit }),
    ],
  }
}
