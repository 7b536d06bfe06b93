import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'
import type { Guards } from '../http/guards.ts'
import { agentRulesRoutes } from './agent-rules.routes.ts'
import { decideAccess } from './decide-access.ts'
import { createDecideIntegrations, type RecordAudit } from './decide-integrations.ts'
import { keysOf } from './integration-keys.ts'
import { integrationsRepository, type OrganizationKey } from './integrations.repository.ts'
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
    /** Whether clients of this key may work in an organization now. Read for every call. */
    findAccess: async (org: OrganizationKey, key: string) => {
      const keys = keysOf(key)
      return decideAccess({ keys, ...(await integrations.findFacts(org, keys)), now: clock.now() })
    },
    findUndone,
    request: integrations.request,
    recordUses: integrations.recordUses,
    routes: (guards: Guards) => [
      integrationsRoutes({ guards, decide, endpoint }),
      agentRulesRoutes({ guards, db, integrations, recordAudit }),
    ],
  }
}
