import type { AgentClaims, AgentScope } from '@svc/shared/wire/assertions.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { ToolEffect } from '@svc/shared/wire/mcp/tool-definition.ts'
import type { Actor } from '../entry/actor.ts'
import { agentActor } from '../http/request-caller.ts'

/** Who calls a tool, and what that caller may do. */
export type ToolCaller = {
  by: Actor
  scopes: readonly AgentScope[]
  /** `any`: every vault of the daemon. */
  vaults: readonly string[] | 'any'
  mayErase: boolean
  /** Aborted when the caller no longer waits. A write in progress is completed; a search stops. */
  signal?: AbortSignal | undefined
}

/** A client on this machine has all rights, like every local program. */
export const localClient = (name: string, signal?: AbortSignal): ToolCaller => ({
  signal,
  by: { kind: 'mcp_client', client: name },
  scopes: ['read', 'write'],
  vaults: 'any',
  mayErase: true,
})

/** A client of the control plane may do what its assertion names, and never delete permanently. */
export const remoteClient = (claims: AgentClaims): ToolCaller => ({
  by: agentActor(claims),
  scopes: claims.agent.scopes,
  vaults: claims.vaults ?? 'any',
  mayErase: false,
})

/** True when a caller may use a vault. */
export const mayUse = ({ vaults }: ToolCaller, vaultId: string): boolean => vaults === 'any' || vaults.includes(vaultId)

/** Fails when a caller may not make a call. A vault that the caller may not use is reported as not found. */
export function refuseUnlessAllowed(
  caller: ToolCaller,
  { effect, input }: { effect: ToolEffect; input: Record<string, unknown> },
): void {
  const scope = effect === 'reads' ? 'read' : 'write'
  if (!caller.scopes.includes(scope)) throw fail('forbidden', { scope, next: `Ask the person to grant "${scope}".` })
  const { vaultId } = input
  if (typeof vaultId === 'string' && !mayUse(caller, vaultId)) throw fail('not_found')
  if (input['permanent'] === true && !caller.mayErase)
    throw fail('forbidden', { next: 'Leave out permanent: the note then goes to the trash.' })
}
