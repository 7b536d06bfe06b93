import type { Organization } from '../answers.ts'
import { InvitationsSection } from './invitations-section.tsx'
import { MembersSection } from './members-section.tsx'

/** Who belongs to the organization and, for admins, who is invited. */
export function MembersTab({ organization }: { organization: Organization }) {
  return (
    <>
      <MembersSection organization={organization} />
      {organization.role === 'admin' && <InvitationsSection organization={organization} />}
    </>
  )
}
