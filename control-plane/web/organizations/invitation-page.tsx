import { LinkPage } from '../account/link-page.tsx'
import { api } from '../api.ts'

/** An invitation. Looking at it accepts nothing; the button does, for the person who is signed in. */
export function InvitationPage({ id }: { id: string }) {
  return (
    <LinkPage
      title="You are invited"
      note="Accept to become a member of the organization and to open its vaults."
      signInFirst="Somebody invites you to share their vaults. Sign in with the address that the invitation was sent to."
      action="Accept invitation"
      use={(token) => api.acceptInvitation({ invitationId: id, token })}
      again={{ to: '/', action: 'Go on' }}
      after="/"
    />
  )
}
