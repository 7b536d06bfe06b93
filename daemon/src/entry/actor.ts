import type { Role } from '@svc/shared/wire/assertions.ts'

/**
 * An agent. `person` is the person it acts for, `integration` the name under which their organization approved it, and
 * `registration` its id at the control plane, as far as they are known.
 */
export type AgentActor = {
  kind: 'mcp_client'
  client: string
  person?: { id: string; name: string } | undefined
  integration?: string | undefined
  registration?: string | undefined
}

/** The author of an action: somebody at this machine, a person through the relay, an agent, or the platform. */
export type Actor =
  | { kind: 'local' }
  | { kind: 'person'; id: string; name: string; role: Role }
  | AgentActor
  | { kind: 'system'; name: string }

/**
 * True when an actor may restore what somebody deleted: a member only what that member deleted, an agent of the control
 * plane only what its person deleted.
 */
export function mayUndoDeletion(actor: Actor, deletedBy: string): boolean {
  if (actor.kind === 'mcp_client' && actor.person) return deletedBy === actor.person.id
  return actor.kind !== 'person' || actor.role === 'admin' || deletedBy === actor.id
}

/** The actor as written to the audit and sent to listeners. */
export function actorId(actor: Actor): string {
  return actor.kind === 'person' ? actor.id : actor.kind
}
