import type { LiveGrant } from '../oauth/grants.repository.ts'
import { refuseWhilePaused } from './agent-caller.ts'

export type Organization = { id: string; slug: string; name: string }
export type ListOrganizations = (userId: string) => Promise<Organization[]>

/** The organizations of a person that the person chose at consent, in a fixed order. */
export async function usableOrgs(listOrganizations: ListOrganizations, grant: LiveGrant): Promise<Organization[]> {
  refuseWhilePaused(grant)
  const granted = new Set(grant.vaults.map(({ orgId }) => orgId))
  const organizations = await listOrganizations(grant.user_id)
  return organizations.filter(({ id }) => granted.has(id)).toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
}
