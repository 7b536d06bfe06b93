import type { Role } from '@svc/shared/wire/assertions.ts'
import type { GrantedVault } from '../../db/tables/agents.tables.ts'
import { decideAccess, type Access, type IntegrationFacts, type RuleFacts } from '../../integrations/decide-access.ts'
import { keysOf } from '../../integrations/integration-keys.ts'

/**
 * An organization of which a person is a member and which they chose at consent, with its decision about the program's
 * keys.
 */
export type GrantedOrganization = {
  id: string
  slug: string
  name: string
  role: Role
  integrations: IntegrationFacts[]
}

/**
 * What a person allowed a program, and what organizations and the platform decided about it: enough to admit a call.
 */
export type LiveGrant = {
  id: string
  client_id: string
  client_name: string | null
  integration_key: string
  can_write: boolean
  vaults: GrantedVault[]
  paused_at: Date | null
  scopes: string[]
  user_id: string
  user_name: string
  organizations: GrantedOrganization[]
  rules: RuleFacts[]
}

/** Whether the program of a grant may work in an organization at a time. Pure. */
export const accessTo = ({ grant, organization, now }: AccessQuestion): Access =>
  decideAccess({
    keys: keysOf(grant.integration_key),
    integrations: organization.integrations,
    rules: grant.rules,
    now,
  })

type AccessQuestion = {
  grant: Pick<LiveGrant, 'integration_key' | 'rules'>
  organization: Pick<GrantedOrganization, 'integrations'>
  now: Date
}
