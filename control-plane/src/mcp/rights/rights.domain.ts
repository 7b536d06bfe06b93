import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../../db/database.ts'
import { createAgentCaller, type AgentCallerDeps } from './agent-caller.ts'
import { agentRightsRepository } from './agent-rights.repository.ts'
import type { Gateway } from '../../gateway/gateway.domain.ts'
import { createOpenCall } from './open-call.ts'
import { createOpenReachedCall } from './open-reached-call.ts'

type Deps = Omit<AgentCallerDeps, 'clock'> & { db: Db; clock: Pick<Clock, 'now'>; reach: Gateway['reach'] }

/** What agents may do now: the rights of a token, and the admission of their calls. */
export function createRights({ db, reach, ...deps }: Deps) {
  const rights = agentRightsRepository(db, deps.clock)
  const openCall = createOpenCall(createAgentCaller(deps))
  return { rights, openCall, openReachedCall: createOpenReachedCall({ openCall, refresh: rights.refresh, reach }) }
}
