import type { Organization } from '../answers.ts'
import { AutoAdmitSection } from './auto-admit-section.tsx'
import { DeleteSection } from './delete-section.tsx'
import { RenameSection } from './rename-section.tsx'

/** What an admin may change about the organization itself. */
export function SettingsTab({ organization }: { organization: Organization }) {
  return (
    <>
      <RenameSection organization={organization} />
      <AutoAdmitSection organization={organization} />
      <DeleteSection organization={organization} />
    </>
  )
}
