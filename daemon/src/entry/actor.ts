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

/** The id of the person who acts or for whom an agent does; undefined for somebody at this machine and the platform. */
export function personOf(actor: Actor): string | undefined {
  if (actor.kind === 'person') return actor.id
  return actor.kind === 'mcp_client' ? actor.person?.id : undefined
}

/** Who deleted something: the id of an author, and the person for whom an agent did. */
export type Deleter = { id: string; person?: { id: string } | undefined }

/**
 * True when an actor may restore what somebody deleted: a member only what that member or an agent for that member
 * deleted, an agent of the control plane only what its person may restore as a member.
 */
export function mayUndoDeletion(actor: Actor, { id, person }: Deleter): boolean {
  const isOf = (member: string) => id === member || person?.id === member
  if (actor.kind === 'mcp_client' && actor.person) return isOf(actor.person.id)
  return actor.kind !== 'person' || actor.role === 'admin' || isOf(actor.id)
}

/** The actor as written to the audit and sent to listeners. */
export function actorId(actor: Actor): string {
  return actor.kind === 'person' ? actor.id : actor.kind
}
