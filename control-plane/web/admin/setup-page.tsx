import { LinkPage } from '../account/link-page.tsx'
import { adminApi } from './admin-api.ts'

/** Makes the holder of the one-time setup link the first system admin. */
export default function SetupPage() {
  return (
    <LinkPage
      title="Set up this installation"
      note="This makes you the first system admin: you look after hosted daemons and see the audit, never notes."
      signInFirst="The first system admin needs an account. Create one, or sign in."
      mostAreNew
      action="Become system admin"
      use={adminApi.claimSetup}
      again={{ to: '/', action: 'Go on without it' }}
      after="/admin"
    />
  )
}
