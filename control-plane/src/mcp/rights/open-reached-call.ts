import { fail } from '@svc/shared/wire/errors.ts'
import type { Gateway } from '../../gateway/gateway.domain.ts'
import type { Target } from './agent-caller.ts'
import type { AgentRights } from './agent-rights.repository.ts'
import type { OpenCall, OpenCalls } from './open-call.ts'

type Deps = { openCall: OpenCalls; refresh: AgentRights['refresh']; reach: Gateway['reach'] }

/**
 * Admits a call and waits until its daemon is connected. A call that had to wait is decided again: in that time the
 * person may have disconnected the program or left the organization, or an admin may have revoked it.
 */
export function createOpenReachedCall({ openCall, refresh, reach }: Deps) {
  return async ({ signal, ...target }: Target & { signal: AbortSignal }): Promise<OpenCall> => {
    const opened = await openCall(target)
    const reached = await reach({ orgId: opened.orgId, person: target.grant.user_id, signal })
    if (reached === 'at_once') return opened
    const grant = await refresh(target.grant)
    if (grant === undefined) {
      const message = 'The person who connected this program disconnected or paused it while the call waited.'
      throw fail('forbidden', undefined, { message })
    }
    // By its id: the short name may belong to another organization by now.
    return openCall({ ...target, grant, org: opened.orgId, counting: 'counted_before' })
  }
}

export type OpenReachedCalls = ReturnType<typeof createOpenReachedCall>
