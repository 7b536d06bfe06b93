import { z } from 'zod'
import { defineTool, listTool } from '@svc/shared/wire/mcp/tool-definition.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { accessTo } from './rights/agent-rights.ts'
import type { PlatformTool } from './platform-tool.ts'
import { usableOrgs } from './rights/usable-orgs.ts'

const definition = defineTool({
  name: 'list_orgs',
  title: 'List organizations',
  description:
    'List the organizations that you may use. Call first: every other tool needs an org. approval tells whether its admins approved you.',
  effect: 'reads',
  idempotent: true,
  input: z.object({}),
  output: z.object({
    orgs: z.array(
      z.object({ org: z.string(), name: z.string(), access: z.enum(['read', 'write']), approval: z.string() }),
    ),
  }),
})

/** The first call of every agent: where it may work, and what is missing where it may not. */
export function listOrgsTool(clock: Pick<Clock, 'now'>): PlatformTool {
  return {
    listed: listTool(definition),
    call: async (_args, { grant }) => {
      const mayWrite = grant.can_write && grant.scopes.includes('write')
      const orgs = usableOrgs(grant).map((organization) => {
        const access = accessTo({ grant, organization, now: clock.now() })
        const writes = mayWrite && (access.standing !== 'approved' || access.canWrite)
        const approval = access.standing === 'unknown' ? 'not requested' : access.standing
        return { org: organization.slug, name: organization.name, access: writes ? 'write' : 'read', approval }
      })
      const result = { orgs }
      return { result, content: [{ type: 'text', text: JSON.stringify(result) }] }
    },
  }
}
