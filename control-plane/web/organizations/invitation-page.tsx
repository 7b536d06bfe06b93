import { useEffect, useState } from 'react'
import { AccountForm } from '../account/account-form.tsx'
import { Door } from '../account/door.tsx'
import { api } from '../api.ts'
import { Link, navigate } from '../app/navigation.tsx'
import { pathTo } from '../app/routes.ts'
import { useSession } from '../app/session.tsx'
import { forgetInvitationSecret, takeInvitationSecret } from './invitation-secret.ts'

/** An invitation. Looking at it accepts nothing; the button does, for the person who is signed in. */
export function InvitationPage({ id }: { id: string }) {
  const { settings, refresh, signOut } = useSession()
  const [token] = useState(() => takeInvitationSecret(id))
  const here = `/invitations/${id}`
  useEffect(() => history.replaceState(null, '', here), [here])

  if (settings === undefined)
    return (
      <Door
        title="You are invited"
        note="Somebody invites you to share their vaults. Sign in with the address that the invitation was sent to."
      >
        <div className="stack">
          <Link to={pathTo.signIn(here)} className="button button-primary button-normal">
            Sign in
          </Link>
          <Link to={`/sign-up?next=${encodeURIComponent(here)}`} className="button button-plain button-normal">
            Create an account
          </Link>
        </div>
      </Door>
    )

  const accept = async () => {
    await api.acceptInvitation({ invitationId: id, ...(token === undefined ? {} : { token }) })
    forgetInvitationSecret(id)
    await refresh()
    navigate('/')
  }

  return (
    <Door
      title="You are invited"
      note="Accept to become a member of the organization and to open its vaults."
      below={<Link to="/">Not now</Link>}
    >
      <AccountForm submit="Accept invitation" onSubmit={accept}>
        {() => (
          <p className="fine">
            You are signed in as <strong>{settings.profile.email}</strong>. Not the invited address?{' '}
            <button type="button" className="text-button" onClick={() => void signOut()}>
              Sign out
            </button>
          </p>
        )}
      </AccountForm>
    </Door>
  )
}
