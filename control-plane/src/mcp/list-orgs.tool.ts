import { z } from 'zod'
import { defineTool, listTool } from '@svc/shared/wire/mcp/tool-definition.ts'
import type { Integrations } from '../integrations/integrations.domain.ts'
import type { PlatformTool } from './platform-tool.ts'
import { usableOrgs, type ListOrganizations } from './usable-orgs.ts'

type Deps = {
  listOrganizations: ListOrganizations
  findAccess: Integrations['findAccess']
}

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
export function listOrgsTool({ listOrganizations, findAccess }: Deps): PlatformTool {
  return {
    listed: listTool(definition),
    call: async (_args, { grant }) => {
      const organizations = await usableOrgs(listOrganizations, grant)
      const mayWrite = grant.can_write && grant.scopes.includes('write')
      const orgs = await Promise.all(
        organizations.map(async ({ id, slug, name }) => {
          const access = await findAccess({ orgId: id }, grant.integration_key)
          const writes = mayWrite && (access.standing !== 'approved' || access.canWrite)
          const approval = access.standing === 'unknown' ? 'not requested' : access.standing
          return { org: slug, name, access: writes ? ('write' as const) : ('read' as const), approval }
        }),
      )
      const result = { orgs }
      return { result, content: [{ type: 'text', text: JSON.stringify(result) }] }
    },
  }
}
