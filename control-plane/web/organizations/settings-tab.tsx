import type { Organization } from '../answers.ts'
import { AutoAdmitSection } from './auto-admit-section.tsx'
import { DeleteSection } from './delete-section.tsx'
import { ResetOriginSection } from './reset-origin-section.tsx'
import { RenameSection } from './rename-section.tsx'

/** What an admin may change about the organization itself. The organization of the system admins cannot be changed. */
export function SettingsTab({ organization }: { organization: Organization }) {
  return (
    <>
      <RenameSection organization={organization} />
      {organization.daemonMode !== undefined && (
        <>
          <AutoAdmitSection organization={organization} />
          <ResetOriginSection organization={organization} />
          <DeleteSection organization={organization} />
        </>
      )}
    </>
  )
}
