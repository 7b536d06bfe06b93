import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../../db/database.ts'
import { createAgentCaller, type AgentCallerDeps } from './agent-caller.ts'
import { agentRightsRepository } from './agent-rights.repository.ts'
import { createOpenCall } from './open-call.ts'

type Deps = Omit<AgentCallerDeps, 'clock'> & { db: Db; clock: Pick<Clock, 'now'> }

/** What agents may do now: the rights of a token, and the admission of their calls. */
export function createRights({ db, ...deps }: Deps) {
  return { rights: agentRightsRepository(db, deps.clock), openCall: createOpenCall(createAgentCaller(deps)) }
}
