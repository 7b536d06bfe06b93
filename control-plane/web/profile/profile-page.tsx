import { ConnectedAppsSection } from '../agents/connected-apps-section.tsx'
import { Page } from '../app/page.tsx'
import { useSession } from '../app/session.tsx'
import { DeleteAccountSection } from './delete-account-section.tsx'
import { EmailSection } from './email-section.tsx'
import { PasskeysSection } from './passkeys-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { ProfileSection } from './profile-section.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { TwoFactorSection } from './two-factor-section.tsx'

/** What a person may change about their own account. */
export default function ProfilePage() {
  const { config } = useSession()
  return (
    <Page title="Profile">
      <div className="stack-wide">
        <ProfileSection />
        <EmailSection />
        <PasswordSection />
        <TwoFactorSection />
        <PasskeysSection />
        <SessionsSection />
        {config.agents && <ConnectedAppsSection />}
        <DeleteAccountSection />
      </div>
    </Page>
  )
}
