import { z } from 'zod'
import { toFieldProblems } from '@svc/shared/wire/error-body.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { listTool, type ToolDefinition } from '@svc/shared/wire/mcp/tool-definition.ts'
import type { CallAgentTool } from '../tunnels/agent-client.ts'
import type { AgentCaller } from './agent-caller.ts'
import { orgArgument, type PlatformTool } from './platform-tool.ts'

export type DaemonToolDeps = {
  admit: AgentCaller
  /** Waits until the daemon is connected, and wakes one that sleeps. */
  reach(call: { orgId: string; person: string; signal: AbortSignal }): Promise<void>
  callAgentTool: CallAgentTool
  /** Records a call that may change something, before it is made. */
  recordWrite(call: { orgId: string; userId: string; client: string; integration: string }): Promise<void>
}

const Arguments = z.looseObject({ org: orgArgument, vaultId: z.string().max(255).optional() })
const descriptions: Record<string, string> = {
  list_vaults: 'List the vaults of an org that you may use. Every other tool needs a vaultId from here.',
}

/**
 * A tool of the daemons with the organization as an extra argument. Organization and vault are decided here, everything
 * else by the daemon, which checks the arguments and decides again what an agent may do.
 */
export function daemonTool(definition: ToolDefinition, deps: DaemonToolDeps): PlatformTool {
  const { admit, reach, callAgentTool, recordWrite } = deps
  const { name, effect, input, description } = definition
  const kind = effect === 'reads' ? 'reads' : 'writes'

  return {
    listed: listTool({
      ...definition,
      description: descriptions[name] ?? description,
      input: z.object({ org: orgArgument, ...input.shape }),
    }),
    call: async (args, { grant, signal }) => {
      const parsed = Arguments.safeParse(args ?? {})
      if (!parsed.success)
        throw fail('invalid_request', toFieldProblems(parsed.error), {
          message: 'The request is not valid. Every tool but list_orgs needs org, from list_orgs.',
        })
      const { org, ...rest } = parsed.data
      const { membership, vaults, canWrite, integration, recordUse } = await admit({
        grant,
        org,
        vaultId: rest.vaultId,
        kind,
      })
      const { organization, role } = membership
      const client = grant.client_name ?? 'Unnamed program'
      const identity = {
        sub: grant.user_id,
        name: grant.user_name,
        role,
        ...(vaults === undefined ? {} : { vaults }),
        agent: { client, integration, scopes: canWrite ? ['read' as const, 'write' as const] : ['read' as const] },
      }
      await reach({ orgId: organization.id, person: grant.user_id, signal })
      if (kind === 'writes') await recordWrite({ orgId: organization.id, userId: grant.user_id, client, integration })
      const request = { tool: name, arguments: rest }
      const answer = await callAgentTool({ orgId: organization.id, identity, request, signal })
      await recordUse()
      return answer
    },
  }
}
