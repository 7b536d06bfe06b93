import type { Role } from '@svc/shared/wire/assertions.ts'

/**
 * Who does something: somebody at this machine, a person through the relay, an agent, or the platform. `person` is whom an
 * agent acts for, where that is known.
 */
export type Actor =
  | { kind: 'local' }
  | { kind: 'person'; id: string; name: string; role: Role }
  | { kind: 'mcp_client'; client: string; person?: { id: string; name: string } | undefined }
  | { kind: 'system'; name: string }

/** True when an actor may bring back what somebody deleted: a member only what that same member deleted. */
export function mayUndoDeletion(actor: Actor, deletedBy: string): boolean {
  return actor.kind !== 'person' || actor.role === 'admin' || deletedBy === actor.id
}

/** The actor as written to the audit and told to listeners. */
export function actorId(actor: Actor): string {
  return actor.kind === 'person' ? actor.id : actor.kind
}
