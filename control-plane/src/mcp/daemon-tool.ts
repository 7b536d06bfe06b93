import { z } from 'zod'
import { toFieldProblems } from '@svc/shared/wire/field-problems.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { ToolContent } from '@svc/shared/wire/mcp/agent-call.api.ts'
import { orgResourceUri, parseResourceUri } from '@svc/shared/wire/mcp/resource-uri.ts'
import { vaultIdText } from '@svc/shared/wire/mcp/tool-arguments.ts'
import { listTool, type ToolDefinition } from '@svc/shared/wire/mcp/tool-definition.ts'
import type { AgentClient } from '../tunnels/agent-client.ts'
import type { OpenReachedCalls } from './rights/open-reached-call.ts'
import { forgiveOrg } from './forgive-org.ts'
import { orgArgument, type PlatformTool } from './platform-tool.ts'

export type DaemonToolDeps = {
  /** Admits a call and waits until its daemon is connected; wakes one that sleeps. */
  openReachedCall: OpenReachedCalls
  callTool: AgentClient['callTool']
  /** Records a call that may change something, before it is made. */
  recordWrite(call: { orgId: string; userId: string; client: string; integration: string }): Promise<void>
}

const Arguments = z.looseObject({ org: orgArgument, vaultId: z.string().max(255).optional() })
const LOOK_FIRST = 'The change may have been made: look before you call again.'
const descriptions: Record<string, string> = {
  list_vaults: 'List the vaults of an org that you may use. Every other tool needs a vaultId from here.',
}

/**
 * A tool of the daemons with the organization as an extra argument. Organization and vault are decided here, everything
 * else by the daemon, which checks the arguments and decides again what an agent may do.
 */
export function daemonTool(definition: ToolDefinition, deps: DaemonToolDeps): PlatformTool {
  const { openReachedCall, callTool, recordWrite } = deps
  const { name, effect, input, description } = definition
  const kind = effect === 'reads' ? 'reads' : 'writes'
  const takesVault = 'vaultId' in input.shape

  return {
    listed: listTool({
      ...definition,
      description: descriptions[name] ?? description,
      // Keep the texts short: every tool repeats them. list_orgs and list_vaults explain these arguments once.
      input: z.object({ org: orgArgument, ...input.shape, ...(takesVault && { vaultId: vaultIdText }) }),
    }),
    call: async (args, { grant, signal }) => {
      const parsed = Arguments.safeParse(forgiveOrg(args))
      if (!parsed.success)
        throw fail('invalid_request', toFieldProblems(parsed.error), {
          message: 'The request is not valid. Every tool but list_orgs needs org, from list_orgs.',
        })
      const { org, ...rest } = parsed.data
      const vaultId = takesVault ? rest.vaultId : undefined
      const opened = await openReachedCall({ grant, org, vaultId, kind, signal })
      const { orgId, identity, client, integration, countUse } = opened
      if (kind === 'writes') await recordWrite({ orgId, userId: grant.user_id, client, integration })
      const asked = { orgId, identity, request: { tool: name, arguments: rest }, signal }
      const answer = await (kind === 'reads' ? callTool(asked) : callTool(asked).catch(leaveInDoubt))
      countUse()
      return { result: answer.result, content: answer.content.map((one) => named(one, opened.org)) }
    },
  }
}

/** The daemon completes a call that it has received, also when its response does not arrive. */
function leaveInDoubt(error: unknown): never {
  if (!isFailure(error, 'daemon_timeout') && !isFailure(error, 'daemon_unreachable')) throw error
  const details = { ...(error.details as object | undefined), next: LOOK_FIRST }
  throw fail(error.code, details, { cause: error })
}

/** An embedded file with its URI at this endpoint, which includes the organization. */
function named(content: ToolContent, org: string): ToolContent {
  if (content.type !== 'resource') return content
  const file = parseResourceUri(content.resource.uri)
  return file ? { ...content, resource: { ...content.resource, uri: orgResourceUri({ org, ...file }) } } : content
}
