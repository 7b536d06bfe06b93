import type { AgentClaims, ServiceScope } from '@svc/shared/wire/assertions.ts'
import type { Actor } from '../entry/actor.ts'
import type { Caller } from '../entry/caller.ts'

/** The caller of a request: somebody at this machine, or a verified caller of the relay. */
export type RequestCaller = { kind: 'local' } | Caller

/**
 * Who may use a route through the relay. `entered`: every person with an entry; `vault-member`: a person who entered
 * the vault in the path; `vault-admin`: such a person with the role admin; `agent`: an agent of the control plane, for
 * whom the route decides again; `service:…`: the control plane itself.
 */
export type RelayedAccess = 'entered' | 'vault-member' | 'vault-admin' | 'agent' | `service:${ServiceScope}`

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Missing or empty: never through the relay. */
    relayed?: readonly RelayedAccess[]
    /** Content types that the route returns; JSON if missing. */
    produces?: readonly string[]
    /**
     * True for a route that does not keep a hosted daemon awake: a stream that only listens, or a request about state.
     */
    quiet?: true
  }
  interface FastifyRequest {
    caller: RequestCaller
  }
}

/** The actor that changes made by a caller are attributed to. */
export function actorOf(caller: RequestCaller): Actor {
  if (caller.kind === 'local') return { kind: 'local' }
  if (caller.kind === 'person') {
    const { sub, name, role } = caller.claims
    return { kind: 'person', id: sub, name, role }
  }
  if (caller.kind === 'agent') return agentActor(caller.claims)
  const { act } = caller.claims
  return { kind: 'system', name: 'user' in act ? act.user : act.system }
}

/** The creator of a vault. The control plane asks for a person, of whom it tells the id alone. */
export function creatorOf(caller: RequestCaller): Actor {
  if (caller.kind !== 'service' || !('user' in caller.claims.act)) return actorOf(caller)
  const { user } = caller.claims.act
  return { kind: 'person', id: user, name: user, role: 'member' }
}

/** The actor of a call that an agent makes through the control plane. */
export const agentActor = ({ sub, name, agent }: AgentClaims): Actor => ({
  kind: 'mcp_client',
  client: agent.client,
  person: { id: sub, name },
  integration: agent.integration,
  registration: agent.registration,
})

/** True for a person who came through the relay without the role admin. */
export const isMember = (caller: RequestCaller): boolean => caller.kind === 'person' && caller.claims.role === 'member'
