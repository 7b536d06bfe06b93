import type { Clock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { createMemoryCounters, createRateLimit } from '../../control-plane/src/http/rate-limit.ts'
import { createAgentCaller } from '../../control-plane/src/mcp/rights/agent-caller.ts'
import type { LiveGrant } from '../../control-plane/src/mcp/rights/agent-rights.ts'

/** The grant of Ada's program, which may change notes in the organizations of `change`. */
export const liveGrant = (change: Partial<LiveGrant>): LiveGrant => ({
  id: 'agt_1',
  client_id: 'client',
  client_name: 'Archivist',
  user_id: 'usr_ada',
  user_name: 'Ada',
  integration_key: 'local',
  can_write: true,
  paused_at: null,
  scopes: ['read', 'write'],
  vaults: [],
  organizations: [],
  rules: [],
  ...change,
})

/** Decides about the calls of agents with counters of its own. */
export const newAgentCaller = (clock: Clock) =>
  createAgentCaller({
    request: async () => 'known',
    countUse: () => {},
    rateLimit: createRateLimit(createMemoryCounters(clock)),
    clock,
    log: createLog({ service: 'test', level: 'fatal' }),
  })
