import { refuseWhilePaused } from './agent-caller.ts'
import type { GrantedOrganization, LiveGrant } from './agent-rights.ts'

/** The organizations of a person that the person chose at consent, in a fixed order. */
export function usableOrgs(grant: LiveGrant): GrantedOrganization[] {
  refuseWhilePaused(grant)
  return grant.organizations.toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
}
