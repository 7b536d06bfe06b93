import type { AgentIdentity } from '../../entry/mint-assertion.ts'
import type { AgentCaller, Target } from './agent-caller.ts'

/** An admitted call: its organization, the identity that the daemon sees, and how to count it after the response. */
export type OpenCall = {
  orgId: string
  org: string
  identity: AgentIdentity
  client: string
  integration: string
  countUse(): void
}

/**
 * Admits a call of an agent and returns the identity that its daemon sees. Does not contact the daemon. The identity of
 * a call for one vault names that vault alone: a person may have chosen more than an assertion has room for.
 */
export const createOpenCall =
  (admit: AgentCaller) =>
  async (target: Target): Promise<OpenCall> => {
    const { grant, vaultId } = target
    const { organization, vaults: chosen, canWrite, integration, countUse } = await admit(target)
    const client = grant.client_name ?? 'Unnamed program'
    const vaults = chosen === undefined || vaultId === undefined ? chosen : [vaultId]
    const scopes = canWrite ? ['read' as const, 'write' as const] : ['read' as const]
    const identity = {
      sub: grant.user_id,
      name: grant.user_name,
      role: organization.role,
      ...(vaults === undefined ? {} : { vaults }),
      agent: { client, integration, registration: grant.client_id, scopes },
    }
    return { orgId: organization.id, org: organization.slug, identity, client, integration, countUse }
  }

export type OpenCalls = ReturnType<typeof createOpenCall>
